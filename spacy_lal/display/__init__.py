"""Drawings of trees and numbers as text, SVG and HTML: strings in, strings out; no Docs, no models."""
