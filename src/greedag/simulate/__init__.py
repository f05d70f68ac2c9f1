"""Simulated tables whose true class is known."""

from greedag.simulate.additive import AdditiveSimulation, additive
from greedag.simulate.experiments import Experiments, interventions
from greedag.simulate.linear import Simulation, linear_gaussian

__all__ = [
    "AdditiveSimulation",
    "Experiments",
    "Simulation",
    "additive",
    "interventions",
    "linear_gaussian",
]
