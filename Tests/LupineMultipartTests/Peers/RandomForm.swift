import FoundationEssentials
import LupineFixtures
import LupineMultipart

/// A form of random parts, and the parts that a parser must return for it.
struct RandomForm {
  struct Part: Hashable {
    var name: String
    var fileName: String?
    var data: Data
  }

  let seed: UInt64
  private(set) var form: MultipartFormData
  private(set) var parts: [Part] = []

  init(seed: UInt64) {
    self.seed = seed
    var random = SplitMix(seed: seed)
    let boundarySeed = random.next()
    form = MultipartFormData { boundarySeed }
    for index in 0..<Int.random(in: 0...6, using: &random) {
      let isFile = Bool.random(using: &random)
      let name = "\(index)" + Self.name(&random)
      let data = isFile ? Self.bytes(form.boundary, &random) : Data(Self.name(&random).utf8)
      let part = Part(name: name, fileName: isFile ? "f" + Self.name(&random) : nil, data: data)
      form.append(part.data, name: part.name, fileName: part.fileName)
      parts.append(part)
    }
  }

  private static func name(_ random: inout SplitMix) -> String {
    let alphabet: [Character] = [
      "a", "Z", "0", " ", "\"", "\r", "\n", "ü", "日", "🦄", ";", "=", ",", "'", "(", "-", "é",
    ]
    let name = String(
      (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in alphabet.randomElement(using: &random) })
    return name + "x"
  }

  /// Random bytes that often resemble the delimiter between parts.
  private static func bytes(_ boundary: String, _ random: inout SplitMix) -> Data {
    let delimiter = Array("\r\n--\(boundary)".utf8)
    var data = Data()
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: data += delimiter.prefix(Int.random(in: 0..<delimiter.count, using: &random))
      case 1: data.append(contentsOf: [0x0D, 0x0A])
      case 2: data += Array(repeating: 0x2D, count: Int.random(in: 0...70, using: &random))
      default:
        data += (0..<Int.random(in: 0...600, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
    }
    return data
  }
}
