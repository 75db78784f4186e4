// Pins for public keys, and a server that they refuse, offline.

import FoundationEssentials
import Lupine
import LupineMock
import LupineOpenSSL

// snippet.hide
let folder =
  #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Fixtures/Certificates/Trust"
let root = "\(folder)/root.pem"
let chain = Certificates.file("\(folder)/valid.chain.pem").certificates.map(\.der)
let backup = Certificates.file("\(folder)/backup.pem").certificates
let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
let backupPin = backup.map(\.publicKeyPin.description).joined()
let transport = MockTransport()
// snippet.show

let session = try Session.Builder()
  .transport(transport)
  .trust(
    [
      "api.example.com": .publicKeys([pin, backupPin]),
      "*.example.com": .default,
    ], otherwise: .refuse
  )
  .build()
let mock = MockTransport()
mock.stub(.get, "/", .text("hello"))
mock.presents(chain: chain, for: "valid.test")
let offline = try Session.Builder()
  .transport(mock)
  .now { Date(timeIntervalSince1970: 1_800_000_000) }
  .certificateAuthorities(root)
  .trust(["valid.test": .publicKeys([backupPin])])
  .build()
let response = await offline.request("https://valid.test/").serializingString().response
// snippet.hide
guard let failure = response.error?.underlying as? TrustFailure, failure.check == .pin else {
  fatalError("the server was trusted: \(response)")
}
print(failure)
