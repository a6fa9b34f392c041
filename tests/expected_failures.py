"""The checks of scikit-learn that public estimators fail, with the reason; one table for all tests.

Estimators in `OTHER_INPUT` cannot be fitted to the numbers that these checks hand over. Their
promises are tested on objects of their own, with `seamark.checks`.
"""

WEIGHTS = "rows choose the landmarks, so repeated rows are not weighted rows"
WEIGHTED_ROWS = {
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
}
UNORDERED = "strings have no order unless categories= gives it"
WORDING = "the message names the object that is wrong, not the shape of an array"
ARRAYS_ONLY = "takes arrays, lists and tables, not every object with __array__"
ANY_LENGTH = "series may have other lengths than those of fit"
TREES = {
    "check_transformer_data_not_an_array": ARRAYS_ONLY,
    "check_requires_y_none": "the message does not have scikit-learn's words",
}

FAILURES = {
    "LandmarkClassifier": WEIGHTED_ROWS,
    "LandmarkRegressor": WEIGHTED_ROWS,
    "LandmarkOrdinal": WEIGHTED_ROWS
    | {
        "check_classifiers_classes": UNORDERED,
        "check_classifiers_train": "the likeliest label need not lie between the thresholds",
    },
    "Ordinal": {"check_classifiers_classes": UNORDERED},
    "ForestScores": TREES,
    "BoostedScores": TREES | {"check_transformer_n_iter": "a list: the rounds of each number"},
    "NeighbourScores": {
        "check_estimator_sparse_tag": "whether rows may be sparse is for the measure to say",
        "check_transformer_data_not_an_array": ARRAYS_ONLY,
    },
    "NumericColumns": {
        "check_complex_data": WORDING,
        "check_dtype_object": WORDING,
        "check_estimators_empty_data_messages": WORDING,
        "check_transformer_data_not_an_array": ARRAYS_ONLY,
        "check_fit1d": "a single column is a table too",
        "check_fit2d_predict1d": WORDING,
    },
    "RandomConvolution": {
        "check_complex_data": WORDING,
        "check_dict_unchanged": "kernels are compiled at the first call",
        "check_estimator_sparse_array": WORDING,
        "check_estimator_sparse_matrix": WORDING,
        "check_estimator_sparse_tag": WORDING,
        "check_estimators_empty_data_messages": WORDING,
        "check_fit2d_predict1d": WORDING,
        "check_n_features_in": ANY_LENGTH,
        "check_n_features_in_after_fitting": ANY_LENGTH,
        "check_transformer_data_not_an_array": ARRAYS_ONLY,
        "check_transformer_general": ANY_LENGTH,
    },
}
# Its weak votes are drawn: not the likelier class each time.
WEAK_VOTES = {"check_classifiers_train": "weak votes are drawn"}

OTHER_INPUT = {
    "BagScores": "strings",
    "DateParts": "columns of dates",
    "LandmarkRanker": "documents with their queries: qid=",
    "MissingShares": "series",
    "PairModel": "pairs of rows of two tables",
    "Ranking": "documents with their queries: qid=",
    "RidgeLabels": "a y of several labels, a column of 0 and 1 for each",
}


def expected_failures(estimator):
    """Return the checks that an estimator is known to fail, and why, as scikit-learn asks."""
    if getattr(estimator, "vote", None) == "weak":
        return WEAK_VOTES
    return FAILURES.get(type(estimator).__name__, {})
