"""A family of compositions: transformers of columns, unions and pipelines, one inside another."""

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    RidgeClassifier,
    RidgeCV,
)
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

import seamark as sm

rng = np.random.default_rng(15)
N = 36
classes = np.array(["no", "yes", "perhaps"])[np.arange(N) % 3]
two = np.arange(N) % 2
numbers = rng.normal(size=N) + two
FRAME = pd.DataFrame(
    {
        "title": pd.Series(["ab" * (1 + i % 4) + "xy"[i % 2] for i in range(N)], dtype=object),
        "price": rng.normal(size=N) + two,
        "weight": np.where(np.arange(N) % 7 == 0, np.nan, rng.normal(size=N)),
        "colour": pd.Series(["red", "blue", "green"] * (N // 3), dtype=object),
        "doors": np.arange(N) % 4 + 2,
    }
)
TABLE = rng.normal(size=(N, 4)) + two[:, None]


def words(**options):
    return sm.LandmarkMap("levenshtein", n_landmarks=4, random_state=0, **options)


def rows():
    return sm.LandmarkMap("euclidean", n_landmarks=4, random_state=0)


SCALERS = [
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    MinMaxScaler(),
    MaxAbsScaler(),
    RobustScaler(),
    RobustScaler(with_centering=False, with_scaling=False),
    Normalizer(),
    Binarizer(),
    FunctionTransformer(),
    PCA(2, random_state=0),
    PCA(2, whiten=True),
    TruncatedSVD(2, random_state=0),
    PowerTransformer(),
    QuantileTransformer(n_quantiles=5),
    "passthrough",
]
IMPUTERS = [
    SimpleImputer(),
    SimpleImputer(strategy="median", add_indicator=True),
    SimpleImputer(strategy="constant", fill_value=-1.0),
    MissingIndicator(),
]
ENCODERS = [
    OneHotEncoder(),
    OneHotEncoder(sparse_output=False, dtype=np.float32),
    OneHotEncoder(drop="first", handle_unknown="ignore"),
    OneHotEncoder(drop="if_binary"),
    OneHotEncoder(drop=["red"]),
    OneHotEncoder(categories=[["red", "green", "blue"]]),
    OneHotEncoder(min_frequency=20, handle_unknown="infrequent_if_exist"),
    OneHotEncoder(max_categories=2, drop="first"),
    OrdinalEncoder(),
    OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan),
    OrdinalEncoder(max_categories=2),
    SimpleImputer(strategy="most_frequent"),
]
CLASSIFIERS = [
    LogisticRegression(),
    LogisticRegressionCV(Cs=2, cv=2),
    RidgeClassifier(),
    LinearSVC(),
    SVC(),
    SVC(kernel="linear"),
    sm.LandmarkClassifier("euclidean", n_landmarks=4, random_state=0),
]
REGRESSORS = [
    LinearRegression(),
    Ridge(),
    RidgeCV(),
    Lasso(0.1),
    LassoCV(cv=2),
    ElasticNet(0.1),
    ElasticNetCV(cv=2),
    LinearSVR(),
    SVR(),
    TransformedTargetRegressor(Ridge(), transformer=StandardScaler()),
    sm.LandmarkRegressor("euclidean", n_landmarks=4, random_state=0),
]
LABELLERS = [LabelBinarizer(), LabelEncoder()]
COLUMNS = {
    "a slice": slice(1, 3),
    "names": ["price", "doors"],
    "one of a kind": [1],
    "a mask": [False, True, False, False, True],
    "an array": np.array([1, 4]),
    "a selector": make_column_selector(dtype_include=np.number),
    "a pattern": make_column_selector("price|doors", dtype_exclude=object),
    "a slice of names": slice("price", "price"),
}


def numeric(model):
    """Missing values filled, then whatever is asked."""
    return make_pipeline(SimpleImputer(), model)


def of_columns(columns, scaler, **options):
    parts = [("words", words(), "title"), ("numbers", numeric(scaler), columns)]
    return ColumnTransformer(parts, **options)


def unions():
    """Unions and pipelines, to three levels."""
    flat = FeatureUnion([("rows", rows()), ("scaled", StandardScaler())])
    yield flat
    yield FeatureUnion([("all", flat), ("same", "passthrough")], transformer_weights={"same": 0.5})
    yield make_pipeline(StandardScaler(), flat, MinMaxScaler())
    yield ColumnTransformer([("flat", flat, slice(0, 2))], remainder="passthrough")
    yield ColumnTransformer([("flat", flat, slice(0, None, 2)), ("no", "drop", [1])])
    nested = ColumnTransformer([("a", StandardScaler(), [0]), ("b", rows(), slice(-2, None))])
    yield FeatureUnion([("nested", make_pipeline(nested, PCA(2))), ("rest", RobustScaler())])
    yield ColumnTransformer([("nested", nested, slice(0, 3))], remainder=StandardScaler())


def family():
    """Every composition: what it is, the model, its rows and its targets."""
    for i, scaler in enumerate(SCALERS):
        yield f"scaler {i}", make_pipeline(scaler, rows(), LogisticRegression()), TABLE, two
    for i, imputer in enumerate(IMPUTERS):
        table = ColumnTransformer([("fill", imputer, ["price", "weight"])])
        yield f"imputer {i}", make_pipeline(table, LogisticRegression()), FRAME, two
    for i, encoder in enumerate(ENCODERS):
        table = ColumnTransformer([("code", encoder, ["colour"])], remainder="drop")
        steps = [OneHotEncoder()] if isinstance(encoder, SimpleImputer) else []
        yield f"encoder {i}", make_pipeline(table, *steps, LogisticRegression()), FRAME, two
    for name, columns in COLUMNS.items():
        model = of_columns(columns, StandardScaler(), sparse_threshold=0.0)
        yield f"columns by {name}", make_pipeline(model, Ridge()), FRAME, numbers
    for i, remainder in enumerate(["drop", numeric(StandardScaler()), "passthrough"]):
        rest = FRAME[["title", "price", "doors"]] if remainder == "passthrough" else FRAME
        rest = rest.drop(columns="colour", errors="ignore")
        model = of_columns(["price"], "passthrough", remainder=remainder)
        yield f"remainder {i}", make_pipeline(model, Ridge()), rest, numbers
    for i, head in enumerate(CLASSIFIERS):
        for targets in (two, classes):
            model = make_pipeline(of_columns([1, 4], StandardScaler()), head)
            yield f"classifier {i} of {len(set(targets))}", model, FRAME, targets
    for i, head in enumerate(REGRESSORS):
        yield f"regressor {i}", make_pipeline(of_columns([1], MinMaxScaler()), head), FRAME, numbers
    for i, union in enumerate(unions()):
        yield f"union {i}", make_pipeline(union, LogisticRegression()), TABLE, two
