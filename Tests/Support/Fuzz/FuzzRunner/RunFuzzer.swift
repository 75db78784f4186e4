import FuzzDriver
import Glibc

/// Hands libFuzzer the program's arguments and a function; returns when its time is over.
public func runFuzzer(_ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) -> CInt {
  var words = CommandLine.arguments.map { strdup($0) } + [nil]
  var count = CInt(words.count - 1)
  return words.withUnsafeMutableBufferPointer { buffer in
    var start = buffer.baseAddress
    return runLibFuzzer(&count, &start, test)
  }
}
