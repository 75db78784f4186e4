import COpenSSL

/// Composes records of TLS.
protocol RecordWriter {
  mutating func append(_ record: RecordFlood.Record, to bytes: inout [UInt8])
  /// Whether the records of the flood that are sent once have been composed.
  var hasOpened: Bool { get set }
}

extension RecordWriter {
  mutating func append(_ type: UInt8, _ content: [UInt8], to bytes: inout [UInt8]) {
    append(RecordFlood.Record(type, content), to: &bytes)
  }

  /// Appends the pattern of a flood once.
  mutating func append(_ flood: RecordFlood, to bytes: inout [UInt8]) {
    if !hasOpened {
      hasOpened = true
      for record in flood.opening { append(record, to: &bytes) }
    }
    for record in flood.pattern { append(record, to: &bytes) }
  }
}

/// Composes records in clear text.
struct ClearRecordWriter: RecordWriter {
  var hasOpened = false

  mutating func append(_ record: RecordFlood.Record, to bytes: inout [UInt8]) {
    bytes += [record.type, 3, 3, UInt8(record.content.count >> 8), UInt8(record.content.count & 0xFF)] + record.content
  }
}

/// Composes records that are encrypted with AES-128-GCM.
struct SealedRecordWriter: RecordWriter {
  var hasOpened = false
  /// The secret of the traffic, from which the keys come (RFC 8446 section 7.3); `nil` for TLS 1.2.
  private var secret: [UInt8]?
  private var initialVector: [UInt8]
  private var sequence: UInt64
  private let cipher: Cipher

  /// Owns OpenSSL's cipher.
  private final class Cipher {
    let pointer = EVP_CIPHER_CTX_new()
    deinit { EVP_CIPHER_CTX_free(pointer) }
  }

  /// The records of TLS 1.3 after a change of keys.
  init(secret: [UInt8]) {
    cipher = Cipher()
    sequence = 0
    initialVector = []
    self.secret = secret
    setKeys(from: secret)
  }

  /// The records of TLS 1.2, of which the server has sent one: Finished.
  init(key: [UInt8], initialVector: [UInt8]) {
    cipher = Cipher()
    sequence = 1
    self.initialVector = initialVector
    secret = nil
    EVP_EncryptInit_ex(cipher.pointer, EVP_aes_128_gcm(), nil, key, nil)
  }

  private mutating func setKeys(from secret: [UInt8]) {
    sequence = 0
    initialVector = TLSKeys.expand(secret, "iv", 12)
    EVP_EncryptInit_ex(cipher.pointer, EVP_aes_128_gcm(), nil, TLSKeys.expand(secret, "key", 16), nil)
  }

  mutating func append(_ record: RecordFlood.Record, to bytes: inout [UInt8]) {
    // Always in clear text (RFC 8446 appendix D.4).
    if record.type == 20, secret != nil {
      bytes += [20, 3, 3, 0, 1] + record.content
      return
    }
    if let secret {
      let content = record.content + [record.type]
      let length = content.count + 16
      let header: [UInt8] = [23, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)]
      bytes += header
      seal(content, header, sequenceVector, to: &bytes)
      if record.changesKey {
        self.secret = TLSKeys.expand(secret, "traffic upd", 32)
        setKeys(from: self.secret ?? [])
      }
    } else {
      // The explicit part of the nonce is the sequence number (RFC 5288 section 3).
      let number = Self.bytes(of: sequence)
      let length = record.content.count + 24
      bytes += [record.type, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)] + number
      let size = [UInt8(record.content.count >> 8), UInt8(record.content.count & 0xFF)]
      seal(record.content, number + [record.type, 3, 3] + size, initialVector + number, to: &bytes)
    }
  }

  /// The vector combined with the sequence number (RFC 8446 section 5.3).
  private var sequenceVector: [UInt8] {
    var vector = initialVector
    for (index, byte) in Self.bytes(of: sequence).enumerated() { vector[4 + index] ^= byte }
    return vector
  }

  private static func bytes(of number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

  private mutating func seal(_ content: [UInt8], _ added: [UInt8], _ vector: [UInt8], to bytes: inout [UInt8]) {
    sequence += 1
    var sealed = [UInt8](repeating: 0, count: content.count + 16)
    var count: Int32 = 0
    EVP_EncryptInit_ex(cipher.pointer, nil, nil, nil, vector)
    EVP_EncryptUpdate(cipher.pointer, nil, &count, added, Int32(added.count))
    EVP_EncryptUpdate(cipher.pointer, &sealed, &count, content, Int32(content.count))
    sealed.withUnsafeMutableBytes { sealed in
      let tag = sealed.baseAddress?.advanced(by: content.count)
      EVP_EncryptFinal_ex(cipher.pointer, tag?.assumingMemoryBound(to: UInt8.self), &count)
      EVP_CIPHER_CTX_ctrl(cipher.pointer, EVP_CTRL_AEAD_GET_TAG, 16, tag)
    }
    bytes += sealed
  }
}

/// Derives keys with SHA-256.
enum TLSKeys {
  private static func hash(_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: 32)
    HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &result, nil)
    return result
  }

  /// HKDF-Expand-Label without a context, for at most 32 bytes (RFC 8446 section 7.1).
  static func expand(_ secret: [UInt8], _ label: String, _ count: Int) -> [UInt8] {
    let label = Array("tls13 \(label)".utf8)
    return Array(hash(secret, [0, UInt8(count), UInt8(label.count)] + label + [0, 1])[..<count])
  }

  /// Makes a writer with the server's key and vector of TLS 1.2 (RFC 5246 sections 5 and 6.3).
  static func makeServerWriter(_ master: [UInt8], serverRandom: [UInt8], clientRandom: [UInt8]) -> SealedRecordWriter {
    let seed = Array("key expansion".utf8) + serverRandom + clientRandom
    var block: [UInt8] = []
    var step = seed
    while block.count < 40 {
      step = hash(master, step)
      block += hash(master, step + seed)
    }
    return SealedRecordWriter(key: Array(block[16..<32]), initialVector: Array(block[36..<40]))
  }
}
