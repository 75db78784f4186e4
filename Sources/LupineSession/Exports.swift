// A program or a plugin that makes or extends sessions imports this module alone.
@_exported public import LupineCoding
@_exported public import LupineCore
