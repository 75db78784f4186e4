/// A short form of frames, in which a mutated input still consists of whole frames.
///
/// A frame is four bytes, for its type, its flags, its stream and the length of its payload, and then the payload.
enum FrameText {
  static func bytes(of text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let type = rest.popFirst(), let flags = rest.popFirst(), let stream = rest.popFirst(),
      let length = rest.popFirst()
    {
      let payload = rest.prefix(Int(length))
      rest = rest.dropFirst(Int(length))
      bytes += [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream]
      bytes += payload
    }
    return bytes
  }
}
