"""What each paper claims of its table, and whether that holds in the figures of our page.

The sentences quote the figures of the committed pages: when a table is run again, read them again.
"""

CLAIMS = {
    "3.1a": "random features keep the accuracy of the exact kernel at a fraction of its time. "
    "**Accuracy: mostly.** RF is at most 0.012 below K and H0/1 at most 0.015 on five of six "
    "sets; on Covertype both are further off (0.039 and 0.052), where the print has 0.004 and "
    "0.019. **Time: mostly.** Prediction is faster everywhere; training with RF is slower than "
    "LIBSVM on Nursery, where LIBSVM needs 0.1 s",
    "3.1b": "as in Table 3.1(a). **Holds**, but for training with RF on Spambase, which is slower "
    "than LIBSVM: RF is at most 0.017 below K and H0/1 at most 0.033 (both on Covertype)",
    "4.1a": "FTUNE with diverse landmarks is ahead of BBS and DBOOST. **Not shown here.** On the "
    "three sets at hand all lie within a standard deviation of each other; the sets with the "
    "large printed differences (Patrol, Mirex07, Amazon47, FaceRec) are missing",
    "4.1b": "as in Table 4.1(a). **Not shown here**: on the three sets at hand all methods lie "
    "within a standard deviation of each other",
    "4.2a": "FTUNE-S is ahead of BBS (printed: above it on eight of twelve sets, below on one). "
    "**Does not hold here.** BBS is at least as good as FTUNE-S on all ten sets. FTUNE-S is "
    "within 5 % of its print; BBS is above its own on every set, by 1 % to 15 %. What differs for "
    "both is that features are standardised before the SVM, and that the winner is fitted to "
    "training and validation rows; which of these lifts BBS, and why not FTUNE, is not known. "
    "Against DBOOST the claim holds on all ten sets",
    "4.2b": "as in Table 4.2(a) with 300 landmarks. **Does not hold against BBS**: FTUNE-S is "
    "ahead on five of ten sets by at most 0.019, behind on four by at most 0.016, as good on one, "
    "with two or three splits each. Our BBS is 1 % to 27 % above its print. Against DBOOST it "
    "holds",
    "5.1a": "RegLand-Sp is more accurate than KR in all cases, and than RegLand with as many "
    "landmarks. **Holds** against KR in all twelve rows. Against RegLand it holds in eight; in "
    "the others RegLand is ahead by at most 1.5 %",
    "5.1b": "ORLand is much better than KR in almost all cases. **Holds** in all twelve rows, "
    "also on white wines with the sigmoid, where the paper's is worse than KR",
    "6.1": "OLP with a buffer by RS-x² is as good as OAM with its reservoirs. **Holds** in the "
    "mean over all sets, at every size of the buffer. It is no sign that RS-x² is the best "
    "buffer: the most recent points (FIFO), for which there is no theorem, are ahead at every "
    "size",
    "6.metric": "none, no figure is printed of this",
    "6.kernels": "none, no figure is printed of this. The combination is no better than the best "
    "single kernel",
    "d2ke-2": "D2KE outperforms or matches all others. **Holds**: it is the best or, on ActRecog, "
    "0.001 behind RSM. Ahead of RSM beyond the standard deviation it is on pentip only",
    "d2ke-3": "D2KE outperforms or matches all others. **In part.** It is ahead on both sets of "
    "digits, on splice level with RSM, and behind DSK_RBF and GDK_LED by a little more than a "
    "standard deviation",
    "d2ke-4": "D2KE is near the others, and much better than KNN. **Holds, with less than the "
    "best.** It is ahead of KNN on both sets; on flowers level with RSM and GDK_LED, and 0.014 "
    "behind DSK_RBF; on decor behind GDK_LED and RSM, by 0.04 and 0.03. Both sets are other data "
    "than the paper's",
    "sd-2": "joint optimisation gains little for its cost. **Holds** on adult, the one set at "
    "hand: 0.3 points of error for more than a hundred times the time. The printed training "
    "errors (16.22 and 14.88) have no counterpart: they were not kept",
    "sd-4": "optimised features (OK) are better than as many random ones. **Holds** on farm, "
    "mnist49 and mnist56; on adult, mnist17 and weight both are level. That printed figures are "
    "reached says less than it seems: our random features are 12 % to 63 % below the print as "
    "well on adult and the digits, so a stronger head, standardised, is part of it. Our ABMKSVM "
    "and MKSVM are 33 % to 114 % above the print on the digits, but for one: they have fewer rows "
    "(see the protocol). There these two, and ten times as many random features, are better than "
    "OK, as printed",
    "sd-6": "a smaller ρ and more rows lower the error of OK. **Holds**: about a third, a quarter "
    "and a quarter of Table 4's",
}
