/// XXH64, computed piece by piece (github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
///
/// It detects accidental damage, such as flipped bits, lost writes and mixed-up sectors, with a probability of all but
/// 2^-64, at the speed at which memory is read. It is no protection against forgery, and a cryptographic hash without a
/// key would be none either: whoever can write the store's files can also write a matching hash.
public struct Checksum: Sendable {
  private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63, 0x27D4_EB2F_1656_67C5
  )
  /// The number of bytes that are mixed at a time.
  private static let stripe = 32

  private var lanes: (UInt64, UInt64, UInt64, UInt64) = (
    primes.0 &+ primes.1, primes.1, 0, 0 &- primes.0
  )
  private var length: UInt64 = 0
  /// The bytes after the last whole stripe.
  private var rest = SIMD32<UInt8>()
  private var restCount = 0

  /// Creates the checksum of no bytes.
  public init() {}

  /// Adds the next bytes.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    length &+= UInt64(bytes.count)
    var bytes = bytes
    if restCount > 0 {
      let part = min(Self.stripe - restCount, bytes.count)
      keep(bytes[..<part])
      guard restCount == Self.stripe else { return }
      restCount = 0
      let rest = rest
      withUnsafeBytes(of: rest) { mix($0) }
      bytes = UnsafeRawBufferPointer(rebasing: bytes[part...])
    }
    let whole = bytes.count & ~(Self.stripe - 1)
    mix(UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
    keep(bytes[whole...])
  }

  private mutating func keep(_ bytes: Slice<UnsafeRawBufferPointer>) {
    for byte in bytes {
      rest[restCount] = byte
      restCount += 1
    }
  }

  /// Mixes whole stripes into the lanes.
  private mutating func mix(_ bytes: UnsafeRawBufferPointer) {
    var (a, b, c, d) = lanes
    var offset = 0
    while offset < bytes.count {
      a = Self.round(a, bytes.word(at: offset))
      b = Self.round(b, bytes.word(at: offset &+ 8))
      c = Self.round(c, bytes.word(at: offset &+ 16))
      d = Self.round(d, bytes.word(at: offset &+ 24))
      offset &+= Self.stripe
    }
    lanes = (a, b, c, d)
  }

  /// The checksum of the bytes so far.
  public var value: UInt64 {
    var hash = Self.primes.4
    if length >= UInt64(Self.stripe) {
      let (a, b, c, d) = lanes
      hash = a.rotated(by: 1) &+ b.rotated(by: 7) &+ c.rotated(by: 12) &+ d.rotated(by: 18)
      for lane in [a, b, c, d] { hash = (hash ^ Self.round(0, lane)) &* Self.primes.0 &+ Self.primes.3 }
    }
    hash &+= length
    return Self.scrambled(withRest(mixedInto: hash))
  }

  private func withRest(mixedInto hash: UInt64) -> UInt64 {
    withUnsafeBytes(of: rest) { bytes in
      var (hash, offset) = (hash, 0)
      while offset + 8 <= restCount {
        hash = (hash ^ Self.round(0, bytes.word(at: offset))).rotated(by: 27) &* Self.primes.0 &+ Self.primes.3
        offset += 8
      }
      if offset + 4 <= restCount {
        let half = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        hash = (hash ^ half &* Self.primes.0).rotated(by: 23) &* Self.primes.1 &+ Self.primes.2
        offset += 4
      }
      while offset < restCount {
        hash = (hash ^ UInt64(bytes[offset]) &* Self.primes.4).rotated(by: 11) &* Self.primes.0
        offset += 1
      }
      return hash
    }
  }

  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    (lane &+ word &* primes.1).rotated(by: 31) &* primes.0
  }

  private static func scrambled(_ hash: UInt64) -> UInt64 {
    var hash = (hash ^ hash >> 33) &* primes.1
    hash = (hash ^ hash >> 29) &* primes.2
    return hash ^ hash >> 32
  }
}

extension UInt64 {
  fileprivate func rotated(by count: UInt64) -> UInt64 { self &<< count | self &>> (64 &- count) }
}

extension UnsafeRawBufferPointer {
  fileprivate func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension [UInt8] {
  /// The checksum of all bytes.
  public var checksum: UInt64 {
    var checksum = Checksum()
    withUnsafeBytes { checksum.update($0) }
    return checksum.value
  }

  /// Appends the eight bytes of a number, the highest first.
  public mutating func append(bigEndian value: UInt64) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}
