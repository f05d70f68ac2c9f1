"""Thirty-seven column names as a table of a power plant may have them, short and long."""

from __future__ import annotations

PLANT_NAMES = (
    "ambient_temperature", "humidity", "air_pressure", "fuel_flow", "fuel_moisture",
    "fuel_quality", "air_flow", "preheated_air", "boiler_temperature", "boiler_pressure",
    "steam_flow", "drum_level", "feed_water", "superheater", "reheater", "turbine_speed",
    "turbine_load", "vibration_1", "vibration_2", "bearing_temp", "oil_pressure", "oil_temp",
    "generator_temp", "voltage", "current", "power", "frequency", "condenser_vacuum",
    "cooling_in", "cooling_out", "river_level", "CO", "CO2", "NOx", "SO2", "dust",
    "stack_temperature",
)  # fmt: skip
