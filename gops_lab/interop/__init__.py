"""Games and answers for other tools, and theirs for us; each module needs its own extra.

================================ ============ ====================================================
module                           extra        hands over
================================ ============ ====================================================
``gops_lab.interop.openspiel``   `openspiel`  the game, policies, learning algorithms
``gops_lab.interop.gambit``      `gambit`     extensive and strategic games, extreme equilibria
``gops_lab.interop.games``       `games`      stage games for Nashpy and QuantEcon
``gops_lab.interop.pettingzoo``  `rl`         an environment in which agents learn
================================ ============ ====================================================

Nothing here is imported with the package: ``import gops_lab.interop.openspiel`` asks for it.
"""
