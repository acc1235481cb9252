#!/bin/sh
# For a machine with a GPU that holds the working tree alone, in the repository's root: train what `export` has written,
# measure parsing, and leave the weights and the figures in the folder OUT.
#
#     OUT=out sh projects/en/scripts/on_gpu.sh [MINUTES] [EXPORTED]
set -e
mkdir -p "${OUT:?expected a folder to write in OUT}"
python projects/en/scripts/train_exported.py "${2:-projects/en/training/lg/exported}" "$OUT/learned" \
    --minutes "${1:-9}" --encoder-rate 0.15
if python -c "import spacy, cupy"; then
    PYTHONPATH=.:$(echo packages/en_lal_md-*) python benchmarks/speed.py pipeline "$OUT/speed.json" assets/toy/train.conllu \
        --gpu-id 0
else
    echo "no spaCy or no CuPy here: parsing was not measured" | tee "$OUT/speed.txt"
fi
