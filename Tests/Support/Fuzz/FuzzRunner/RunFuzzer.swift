import FuzzDriver
import Glibc

/// Runs libFuzzer on `test` with the program's arguments.
///
/// Returns libFuzzer's exit code after the time limit that the arguments set.
public func runFuzzer(_ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) -> CInt {
  var words = CommandLine.arguments.map { strdup($0) } + [nil]
  var count = CInt(words.count - 1)
  return words.withUnsafeMutableBufferPointer { buffer in
    var start = buffer.baseAddress
    return runLibFuzzer(&count, &start, test)
  }
}
