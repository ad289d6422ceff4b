// Ends with status 0 while the service in this container can answer. Plain JavaScript: it starts within some tens of milliseconds.
import http from 'node:http'
import https from 'node:https'

const { CHANCERY_PORT: port, CHANCERY_TLS_CERT: certificate } = process.env
const [client, scheme] = certificate ? [https, 'https'] : [http, 'http']
// It asks itself: whose certificate that is, it need not ask.
const options = { timeout: 2_500, rejectUnauthorized: false }

const req = client.get(`${scheme}://127.0.0.1:${port || 8080}/readyz`, options, res => {
  process.exit(res.statusCode === 200 ? 0 : 1)
})
req.on('timeout', () => process.exit(1))
req.on('error', () => process.exit(1))
