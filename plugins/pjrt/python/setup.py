"""The wheel holds machine code, but nothing of Python's own: one for all versions of Python."""
from setuptools import setup
from setuptools.dist import Distribution

from setuptools.command.bdist_wheel import bdist_wheel


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class Binary(Distribution):
    def has_ext_modules(self):
        return True


setup(distclass=Binary, cmdclass={"bdist_wheel": Wheel})
