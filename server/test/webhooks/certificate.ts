import { spawnSync } from 'node:child_process'

/** A certificate that its own key has signed. */
export interface Certificate {
  key: string
  cert: string
}

/** Why there are no certificates to be had, for `skip`; false where there are. */
export const withoutCertificates: string | false =
  spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed'

/** Makes one for names like `DNS:hooks.example.com` and `IP:127.0.0.1`. */
export function makeCertificate(...names: string[]): Certificate {
  const options = [
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
  ]
  const subject = ['-subj', '/CN=receiver', '-addext', `subjectAltName=${names.join(',')}`]
  const { stdout, stderr } = spawnSync(
    'openssl',
    ['req', ...options, ...subject, '-keyout', '-', '-out', '-'],
    { encoding: 'utf8' },
  )
  const [key] = /-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----/s.exec(stdout) ?? []
  const [cert] = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/s.exec(stdout) ?? []
  if (!key || !cert) throw new Error(`openssl made no certificate: ${stderr}`)
  return { key, cert }
}
