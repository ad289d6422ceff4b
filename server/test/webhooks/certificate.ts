import { spawnSync } from 'node:child_process'

/** A self-signed certificate. */
export interface Certificate {
  key: string
  cert: string
}

/** The reason why certificates cannot be created, for `skip`; false if they can. */
export const withoutCertificates: string | false =
  spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed'

/** Creates a certificate for names like `DNS:hooks.example.com` and `IP:127.0.0.1`. */
export const makeCertificate = (...names: string[]): Certificate =>
  makeWithKey(['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'], names)

/** The same with an RSA key. */
export const makeRsaCertificate = (...names: string[]): Certificate => makeWithKey(['rsa:2048'], names)

function makeWithKey(key: string[], names: string[]): Certificate {
  const options = ['-x509', '-newkey', ...key, '-nodes', '-days', '2']
  const subject = ['-subj', '/CN=receiver', '-addext', `subjectAltName=${names.join(',')}`]
  const { stdout, stderr } = spawnSync(
    'openssl',
    ['req', ...options, ...subject, '-keyout', '-', '-out', '-'],
    { encoding: 'utf8' },
  )
  const [privateKey] = /-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----/s.exec(stdout) ?? []
  const [cert] = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/s.exec(stdout) ?? []
  if (!privateKey || !cert) throw new Error(`openssl made no certificate: ${stderr}`)
  return { key: privateKey, cert }
}
