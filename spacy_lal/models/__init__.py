"""thinc models of networks, and what runs them on a CPU without torch: `parser.py` and
`roles.py` read Docs, `shim.py` holds a network. Found by entry points: this file
imports nothing."""
