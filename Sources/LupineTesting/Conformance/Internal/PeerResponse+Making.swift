extension PeerReply {
  /// A complete response with a text and its `Content-Length`.
  static func text(_ text: String, status: Int = 200, fields: RawFields = [:]) -> PeerReply {
    bytes(Array(text.utf8), status: status, fields: fields)
  }

  static func bytes(_ bytes: [UInt8], status: Int = 200, fields: RawFields = [:]) -> PeerReply {
    make { response in
      response.status = status
      response.fields = fields
      if !bytes.isEmpty { response.body = [.bytes(bytes)] }
    }
  }

  /// A complete chunked response.
  static func chunks(_ steps: [PeerResponse.Step], trailers: RawFields = [:]) -> PeerReply {
    make { response in
      response.framing = .chunked
      response.body = steps
      response.trailers = trailers
    }
  }

  /// A response without a body, such as one of status 204.
  static func bare(status: Int, fields: RawFields = [:]) -> PeerReply {
    make { response in
      response.status = status
      response.fields = fields
      response.framing = .none
    }
  }

  static func make(_ change: (inout PeerResponse) -> Void) -> PeerReply {
    var response = PeerResponse()
    change(&response)
    return .response(response)
  }
}

extension PeerResponse.Step {
  static func text(_ text: String) -> Self { .bytes(Array(text.utf8)) }
}

/// Returns bytes in which adjacent blocks differ, so that a lost or repeated block is detected.
func numberedBytes(_ count: Int) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
    for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: index ^ (index >> 8) ^ (index >> 16)) }
    initialized = count
  }
}
