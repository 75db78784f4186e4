// Files: a download and an upload.

import Lupine
// snippet.hide
import Foundation
import LupineMock

let mock = MockTransport()
mock.stub(.get, "https://api.example.com/big.bin", .text(String(repeating: "lupine ", count: 1_000)))
mock.stub(.post, "https://api.example.com/videos", .text("thank you"))
let session = try Session.Builder().transport(mock).baseURL("https://api.example.com").build()
let folder = NSTemporaryDirectory() + "lupine-files-" + UUID().uuidString
defer { try? FileManager.default.removeItem(atPath: folder) }
// snippet.show

let file = try await session.download(
  "big.bin", to: .file("\(folder)/big.bin", [.createIntermediateDirectories, .removePreviousFile])
)
.downloadProgress { print($0.fractionCompleted) }
.serializingFile().value  // interrupted: the error carries resumeData; session.download(resumingWith: data)

let receipt = try await session.upload(.file("\(folder)/big.bin"), to: "videos", method: .post)
  .uploadProgress { print($0.completed, $0.total as Any) }
  .serializingString().value
// snippet.hide
print(file.lastPathComponent, receipt)
