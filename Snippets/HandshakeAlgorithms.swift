// The algorithms that a transport offers in handshakes of TLS.
import Lupine

// snippet.offer
var configuration = NativeTransport.Configuration()
configuration.network.tlsAlgorithms = TLSAlgorithms(
  cipherSuites: ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384"],
  groups: ["X25519", "P-256"])
let session = try Session.Builder().transport(.native(configuration)).build()
// snippet.hide
print(session)
