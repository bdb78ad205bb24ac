"""Types of arrays by what they hold; the engine's are in ``sabacc_env.engine.layout``."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]
