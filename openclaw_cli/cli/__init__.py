"""The command line: the only package that knows click and rich."""

import gc

# A command lives for moments and makes few cycles. With the usual rhythm the collector
# would take a tenth of a small run, and a third of one over a large store, for nothing.
gc.set_threshold(100_000, 20, 100)
