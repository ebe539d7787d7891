"""Formats of data sets that are no corpus of their own: tables, Kaldi, Hugging Face, WebDataset.

Each module has ``read``, from a :class:`~common.samples.importing.request.ImportRequest` to rows.
"""
