"""How near to orbit `faithful` is: cases, random draws, ablation, noise against its bound,
passivity."""
