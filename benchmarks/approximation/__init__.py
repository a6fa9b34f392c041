"""Figure 3.1 of the thesis: how near random features come to three dot-product kernels."""
