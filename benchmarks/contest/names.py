"""Names of the sets of the data folder."""

UNIVARIATE = """
    ACSF1 Adiac AllGestureWiimoteX AllGestureWiimoteY AllGestureWiimoteZ BME Beef
    BeetleFly BirdChicken Car Chinatown Coffee Computers CricketX DiatomSizeReduction
    DistalPhalanxOutlineAgeGroup DistalPhalanxOutlineCorrect DistalPhalanxTW ECG200
    Earthquakes FacesUCR FiftyWords Fungi GestureMidAirD1 GestureMidAirD2 GestureMidAirD3
    GesturePebbleZ1 GunPoint GunPointAgeSpan GunPointMaleVersusFemale
    GunPointOldVersusYoung Herring HouseTwenty InsectEPGRegularTrain InsectEPGSmallTrain
    ItalyPowerDemand LargeKitchenAppliances Lightning2 Meat MedicalImages
    MelbournePedestrian MiddlePhalanxOutlineAgeGroup MiddlePhalanxOutlineCorrect
    MoteStrain OliveOil PowerCons ProximalPhalanxOutlineAgeGroup
    ProximalPhalanxOutlineCorrect ProximalPhalanxTW RefrigerationDevices ScreenType
    ShakeGestureWiimoteZ SmallKitchenAppliances SonyAIBORobotSurface1 Strawberry
    SyntheticControl ToeSegmentation1 Trace UMD Wine
""".split()  # noqa: SIM905
MULTIVARIATE = """
    ArticularyWordRecognition Auslan BasicMotions CharacterTrajectories_half
    JapaneseVowels ActRecog mts_DigitShapeRandom mts_PenDigits mts_ShapesRandom
""".split()  # noqa: SIM905
CLASSIFICATION = """
    breast_cancer diabetes heart ionosphere liver sonar fourclass svmguide3 segment
    steel_plates vowel spambase magic letter optdigits pendigits mfeat_pixel mfeat_zernike
    nursery cod_rna adult_a9a ijcnn1 covtype wle_half wine_red wine_white
""".split()  # noqa: SIM905
REGRESSION = """
    abalone bodyfat cahousing cpusmall puma8nh puma32h bank8fm bank32nh house8l house16h
""".split()  # noqa: SIM905
STRINGS = ["names_language", "sms_spam", "splice", "promoters", "reuters40"]
SETS = ["Musk1", "Musk2", "Elephant", "Fox", "flowers17_sift", "decor_sift"]
