"""How near to orbit `model_mediated` is: cases, random draws, ablation, noise against its bound,
passivity."""
