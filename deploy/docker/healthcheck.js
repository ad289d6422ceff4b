// Exits with status 0 if the service in this container is ready. Plain JavaScript, because it starts within tens of milliseconds.
import http from 'node:http'
import https from 'node:https'

const { CHANCERY_PORT: port, CHANCERY_TLS_CERT: certificate } = process.env
const [client, scheme] = certificate ? [https, 'https'] : [http, 'http']
// A request to the same container: no certificate check needed.
const options = { timeout: 2_500, rejectUnauthorized: false }

const req = client.get(`${scheme}://127.0.0.1:${port || 8080}/readyz`, options, res => {
  process.exit(res.statusCode === 200 ? 0 : 1)
})
req.on('timeout', () => process.exit(1))
req.on('error', () => process.exit(1))
