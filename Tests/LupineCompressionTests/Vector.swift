/// Data that programs of other projects have compressed, in Base64.
///
/// `numbers` is the output of `seq 1 100`, and `lupines` that of `yes lupine | head -c 300000`.
enum Vector: String, CaseIterable, Sendable {
  /// `gzip -n -9 -c numbers` (gzip 1.12).
  case gzipProgram
  /// `gzip.GzipFile("seq.txt", "wb", 9, …, mtime=1)` (Python 3.11.7): a header with a file name and a time.
  case gzipOfPython
  /// `(gzip -n -c numbers; gzip -n -1 -c numbers)` (gzip 1.12): two members.
  case gzipTwoMembers
  /// `gzip -c lupines` (gzip 1.12).
  case gzipLong
  /// `zlib.compress(numbers, 9)` (Python 3.11.7).
  case zlibOfPython
  /// `zlib.compressobj(9, zlib.DEFLATED, -15)` over numbers (Python 3.11.7): no zlib header.
  case rawDeflate
  /// `zlib.compressobj(0, zlib.DEFLATED, -15)` over the first 30 bytes of numbers: one stored block.
  case rawStored
  /// `zlib.compressobj(9, zlib.DEFLATED, -15)` over an empty input: two bytes.
  case rawEmpty
  /// `brotli -q 11 -c numbers` (brotli 1.0.9).
  case brotliProgram
  /// `brotli -c lupines` (brotli 1.0.9).
  case brotliLong
  /// `zstd -19 -c numbers` (zstd 1.5.4).
  case zstdProgram
  /// `zstd -c lupines` (zstd 1.5.4).
  case zstdLong

  var coding: Coding {
    switch self {
    case .gzipProgram, .gzipOfPython, .gzipTwoMembers, .gzipLong: .gzip
    case .zlibOfPython, .rawDeflate, .rawStored, .rawEmpty: .deflate
    case .brotliProgram, .brotliLong: .brotli
    case .zstdProgram, .zstdLong: .zstd
    }
  }

  /// The decoded data.
  var plain: [UInt8] {
    switch self {
    case .gzipTwoMembers: Self.numbers + Self.numbers
    case .gzipLong, .brotliLong, .zstdLong: Self.lupines
    case .rawStored: Array(Self.numbers.prefix(30))
    case .rawEmpty: []
    default: Self.numbers
    }
  }

  private static let numbers = (1...100).flatMap { "\($0)\n".utf8 }
  private static let lupines = Array(repeatElement("lupine\n".utf8, count: 42_858).joined().prefix(300_000))

  /// The compressed data.
  var base64: String {
    switch self {
    case .gzipProgram:
      """
      H4sIAAAAAAACAxWQSQEAQQyD/qhpete/sZ01kADCCZKiGZZDhoQcBUpUqNGgRYcbLtzxwBMvvPHBFz/CCBFvMogkimhiiCWONFKk\
      k+8xySKbHHLJo4wS5VRQD6iopoZa6mijRTsddNKPt+mhlz7GGDHOBJNMMU9nmGWONVass8EmW2yzz3bZ44wT51xwyRXX3HAvxl/D\
      +ADc8YtnJAEAAA==
      """
    case .gzipOfPython:
      """
      H4sICAEAAAAC/3NlcS50eHQAFZBJAQBBDIP+qGl617+xnTWQAMIJkqIZlkOGhBwFSlSo0aBFhxsu3PHAEy+88cEXP8IIEW8yiCSK\
      aGKIJY40UqST7zHJIpsccsmjjBLlVFAPqKimhlrqaKNFOx100o+36aGXPsYYMc4Ek0wxT2eYZY41VqyzwSZbbLPPdtnjjBPnXHDJ\
      FdfccC/GX8P4ANzxi2ckAQAA
      """
    case .gzipTwoMembers:
      """
      H4sIAAAAAAAAAxWQSQEAQQyD/qhpete/sZ01kADCCZKiGZZDhoQcBUpUqNGgRYcbLtzxwBMvvPHBFz/CCBFvMogkimhiiCWONFKk\
      k+8xySKbHHLJo4wS5VRQD6iopoZa6mijRTsddNKPt+mhlz7GGDHOBJNMMU9nmGWONVass8EmW2yzz3bZ44wT51xwyRXX3HAvxl/D\
      +ADc8YtnJAEAAB+LCAAAAAAABAMVkEkBAEEMg/6oaXrXv7GdNZAAwgmSohmWQ4aEHAVKVKjRoEWHGy7c8cATL7zxwRc/wggRbzKI\
      JIpoYogljjRSpJPvMckimxxyyaOMEuVUUA+oqKaGWupoo0U7HXTSj7fpoZc+xhgxzgSTTDFPZ5hljjVWrLPBJltss8922eOME+dc\
      cMkV19xwL8Zfw/gA3PGLZyQBAAA=
      """
    case .gzipLong:
      """
      H4sICO5rAWsAA3kA7cWxCQAwCACwvX86FERc/N8/JFmS07/ipSRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJ\
      kiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJ\
      kiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJ\
      kiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJ\
      kiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJ\
      kiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJkiRJ\
      kiRJkiRJkiRJkiRJkiRJkiRJkiRJknShBVN1rvzgkwQA
      """
    case .zlibOfPython:
      """
      eNoVkEkBAEEMg/6oaXrXv7GdNZAAwgmSohmWQ4aEHAVKVKjRoEWHGy7c8cATL7zxwRc/wggRbzKIJIpoYogljjRSpJPvMckimxxy\
      yaOMEuVUUA+oqKaGWupoo0U7HXTSj7fpoZc+xhgxzgSTTDFPZ5hljjVWrLPBJltss8922eOME+dccMkV19xwL8Zfw/gAWQ0rbg==
      """
    case .rawDeflate:
      """
      FZBJAQBBDIP+qGl617+xnTWQAMIJkqIZlkOGhBwFSlSo0aBFhxsu3PHAEy+88cEXP8IIEW8yiCSKaGKIJY40UqST7zHJIpsccsmj\
      jBLlVFAPqKimhlrqaKNFOx100o+36aGXPsYYMc4Ek0wxT2eYZY41VqyzwSZbbLPPdtnjjBPnXHDJFdfccC/GX8P4AA==
      """
    case .rawStored:
      "AR4A4f8xCjIKMwo0CjUKNgo3CjgKOQoxMAoxMQoxMgoxMwo="
    case .rawEmpty:
      "AwA="
    case .brotliProgram:
      """
      oRgJwG+kZJ1bpGPDbkvuAqUAU5IoF63k4vHp+eX1zdt3Dx8ABIEhUBhYOPwIJAqNweLg4tEnEElkCpWGlo4/g8lic7g8vHzyBUKR\
      WCKVkZXTr1Cq1Bqtjq6e+QaGRsYmpmbMmrPfwtLK2sbWjl177js4Ojm7uLpx6yw=
      """
    case .brotliLong:
      "Vd+ThN9I6eZN67I0tjqp4AYXt0UCJxcJegM="
    case .zstdProgram:
      """
      KLUv/WQkAE0EAEZSIQmw6yRJiHBSmHUbAB4AHgC9OvXp0qO3s0M/brw48eHCg5eTA7/tmp7luDOdOcN8ssklkzyyyCFXpgzyxRZX\
      TPHEEkfcmDHE1y1TPbXUUbdmDfXRRhdN9NBCB12aNNA321wzzTPLHHMD8LvtrpvuueWOuzdvuM82u2yyxxY77Nq0wb7a6qoAeWXM\
      ag==
      """
    case .zstdLong:
      "KLUv/aTgkwQAfAAAOGx1cGluZQoBAPb/yosRTAAACG4BAPz/ORACTQAACHUBANwTHQgBOkH3gA=="
    }
  }
}
