import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readConfig } from '@chancery/server'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFile(join(root, path), 'utf8')
const readYaml = async <T>(path: string) => parse(await read(path), { merge: true }) as T

const worlds = ['eu1', 'eu2']

interface Service {
  image: string
  environment?: Record<string, string>
  volumes?: string[]
  command?: string[]
  depends_on?: Record<string, { condition: string }>
  mem_limit?: string
  networks?: { edge?: { ipv4_address: string } }
  ports?: string[]
}
interface Compose {
  services: Record<string, Service>
  networks: { edge: { ipam: { config: [{ ip_range: string }] } } }
  volumes: Record<string, null>
}
const readCompose = () => readYaml<Compose>('deploy/worlds/compose.yaml')

/** The environment of a service with the variables of a .env file. */
function environmentOf({ environment = {} }: Service, variables: Record<string, string>) {
  const value = (text: string) =>
    text.replaceAll(/\$\{(\w+)(?::[?-]([^}]*))?\}/g, (_, name) => variables[name] ?? assert.fail(name))
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, value(text)]))
}

/** Each variable of the example file, with a value. */
async function exampleVariables(): Promise<Record<string, string>> {
  const names = [...(await read('deploy/worlds/.env.example')).matchAll(/^(\w+)=(.*)$/gm)]
  return Object.fromEntries(
    names.map(([, name = '', value]) => [name, value || `${name.toLowerCase()}-with-16-characters`]),
  )
}

test('the compose file gives each world a configuration that is valid, and nothing of another world', async () => {
  const { services } = await readCompose()
  const variables = await exampleVariables()
  const configs = worlds.map(world => {
    const service = services[world] ?? assert.fail(world)
    const env = environmentOf(service, variables)
    assert.deepEqual(environmentOf(services[`${world}-migrate`] ?? assert.fail(world), variables), env)
    const config = readConfig(env)
    assert.deepEqual(config.unknownVariables, [])
    assert.equal(config.publicUrl, `https://api.game.example/${world}`)
    const { username, password, pathname } = new URL(config.databaseUrl ?? '')
    assert.deepEqual([username, pathname], [world, `/${world}`])
    const created = environmentOf(services[`${world}-database`] ?? assert.fail(world), variables)
    assert.deepEqual([created.WORLD, created.WORLD_PASSWORD], [world, password])
    assert.equal(
      created.PGPASSWORD,
      services.postgres && environmentOf(services.postgres, variables).POSTGRES_PASSWORD,
    )
    assert.deepEqual(
      service.volumes?.map(volume => volume.split(':')[0]),
      [world, '../game'],
    )
    assert.match(service.image, RegExp(`^chancery:\\$\\{${world.toUpperCase()}_VERSION:-local\\}$`))
    return config
  })
  for (const name of ['publicUrl', 'databaseUrl', 'adminToken'] as const)
    assert.equal(new Set(configs.map(config => config[name])).size, worlds.length, name)
  assert.equal(new Set(configs.map(({ valkeyUrl }) => valkeyUrl)).size, 1)
})

test('the compose file uses exactly the variables of its example, and every volume', async () => {
  const text = await read('deploy/worlds/compose.yaml')
  const used = new Set([...text.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name = '']) => name))
  assert.deepEqual([...used].sort(), Object.keys(await exampleVariables()).sort())
  const { services, volumes } = await readCompose()
  const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
    volumes.map(volume => volume.split(':')[0]),
  )
  const named = new Set(mounted.filter(name => !name?.startsWith('.')))
  assert.deepEqual([...named].sort(), Object.keys(volumes).sort())
})

test('a world starts when its database exists and is migrated, and no other world has to', async () => {
  const { services } = await readCompose()
  for (const world of worlds) {
    const needed = (name: string): string[] =>
      Object.keys(services[name]?.depends_on ?? {}).flatMap(found => [found, ...needed(found)])
    const all = new Set(needed(world))
    assert.deepEqual([...all].sort(), [`${world}-database`, `${world}-migrate`, 'postgres', 'valkey'].sort())
    assert.equal(
      services[world]?.depends_on?.[`${world}-migrate`]?.condition,
      'service_completed_successfully',
    )
    assert.match(services[world]?.mem_limit ?? '', /^[1-4]g$/)
  }
  assert.equal(services.proxy?.depends_on, undefined)
})

test('only the proxy publishes ports, and its address is trusted and not assigned to another container', async () => {
  const { services, networks } = await readCompose()
  const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined)
  assert.deepEqual(
    published.map(([name]) => name),
    ['proxy'],
  )
  const address =
    services.proxy?.networks?.edge?.ipv4_address ?? assert.fail('the proxy has no fixed address')
  for (const world of worlds) assert.equal(services[world]?.environment?.CHANCERY_TRUSTED_PROXIES, address)
  const [range = '', bits] = networks.edge.ipam.config[0].ip_range.split('/')
  const given = new BlockList()
  given.addSubnet(range, Number(bits))
  assert.ok(!given.check(address))
})

test('the settings of a world for systemd are valid', async () => {
  const lines = [...(await read('deploy/worlds/eu1.env.example')).matchAll(/^#?(CHANCERY_\w+)=(.*)$/gm)]
  const config = readConfig(Object.fromEntries(lines.map(([, name, value]) => [name, value])))
  assert.deepEqual(config.unknownVariables, [])
  assert.equal(config.publicUrl, 'https://api.game.example/eu1')
})

/** The lines of a file without comments and indentation. */
const rulesOf = async (file: string) =>
  (await read(file))
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))

for (const [one, several, changed] of [
  [
    'deploy/proxy/nginx.conf',
    'deploy/worlds/nginx.conf',
    ['upstream chancery {', 'proxy_pass http://chancery;', 'proxy_pass http://chancery;'],
  ],
  [
    'deploy/proxy/Caddyfile',
    'deploy/worlds/Caddyfile',
    ['respond @large 413', 'dynamic a {$CHANCERY_HOST} {$CHANCERY_PORT}'],
  ],
] as const)
  test(`${several} has every rule of ${one}`, async () => {
    const rules = await rulesOf(several)
    assert.deepEqual(
      (await rulesOf(one)).filter(rule => !rules.includes(rule)),
      changed,
    )
  })

test('each world is in both proxies, on the list of worlds and in the scrape configuration', async () => {
  const { scrape_configs: jobs } = await readYaml<{
    scrape_configs: {
      job_name: string
      authorization: { credentials_file: string }
      static_configs: [{ labels: { job: string; world: string } }]
    }[]
  }>('deploy/worlds/prometheus.yml')
  assert.deepEqual(
    jobs.map(({ static_configs: [{ labels }] }) => labels),
    worlds.map(world => ({ job: 'chancery', world })),
  )
  for (const names of [jobs.map(job => job.job_name), jobs.map(job => job.authorization.credentials_file)])
    assert.equal(new Set(names).size, worlds.length)
  const [nginx, caddy, list] = await Promise.all(
    ['nginx.conf', 'Caddyfile', 'site/index.html'].map(file => read(`deploy/worlds/${file}`)),
  )
  for (const world of worlds) {
    assert.ok(nginx?.includes(`"~^/${world}(/|$)" chancery_${world};`), world)
    assert.ok(nginx?.includes(`upstream chancery_${world} {`), world)
    assert.ok(caddy?.includes(`@${world} path /${world} /${world}/*`), world)
    assert.ok(list?.includes(`<a href="/${world}/">`), world)
  }
})

test('the script that creates a world creates every role that migrations create', async () => {
  const folder = 'server/src/store/migrations'
  const texts = await Promise.all((await readdir(join(root, folder))).map(file => read(`${folder}/${file}`)))
  const created = texts.flatMap(text =>
    [...text.matchAll(/create role (\w+)|foreach role_name in array array\[([^\]]*)\]/g)].flatMap(
      ([, name, names]) => name ?? names?.match(/\w+/g) ?? [],
    ),
  )
  assert.ok(created.length >= 5)
  const script = await read('deploy/worlds/create-world.sql')
  const [, made = ''] = /unnest\(array\[([^\]]*)\]/.exec(script) ?? []
  const [, granted = ''] = /'grant ([\w, ]+) to %I'/.exec(script) ?? []
  assert.deepEqual(made.match(/\w+/g)?.sort(), created.sort())
  assert.deepEqual(granted.split(', ').sort(), created.sort())
})
