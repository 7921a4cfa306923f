// The prompt caches of providers: the share of an agent's prompts that is read from them on each surface, with two keys of each provider.
import { createSimulator } from '../../providers/index.ts'
import { type Conversation, type SurfaceName, TURNS, turnOf } from './cache-agent.ts'
import type { Bench } from './contest.ts'
import { type Figure, ratioAtLeast } from './report.ts'
import { makeDataFolder, sourceOf, startGateway } from './subjects.ts'

/** Enough for some on each key. */
const CONVERSATIONS = 6
/** The required part of the share that one key gets by its provider's own protocol. */
const MIN_OF_OWN = 0.9

interface SimulatedProvider {
  readonly name: string
  readonly protocol: string
  readonly model: string
  /** The surface of its own protocol. */
  readonly own: SurfaceName
  /** Further lines of the catalogue. */
  readonly more?: string
}

const PROVIDERS: readonly SimulatedProvider[] = [
  { name: 'Gemini', protocol: 'gemini', model: 'gemini-2.5-flash', own: 'native' },
  { name: 'Claude', protocol: 'anthropic', model: 'claude-sonnet-5', own: 'messages' },
  { name: 'OpenAI', protocol: 'openai', model: 'gpt-5.1', own: 'responses' },
  { name: 'a chat server', protocol: 'openai', model: 'llama', own: 'chat', more: 'responses = false' },
]
const SURFACES: readonly SurfaceName[] = ['native', 'messages', 'chat', 'responses']

/** The servers that the strict providers play, so that requests are written as for the real ones. */
const SERVERS: Readonly<Record<string, string>> = {
  gemini: 'google',
  anthropic: 'anthropic',
  openai: 'openai',
}

const PRICE = '[models.price]\ninput = 1\noutput = 4\ncache_read = 0.1\n'

/** Each model behind two keys, and behind one: caches belong to keys. */
const sectionsAt = (address: string) =>
  PROVIDERS.flatMap(({ protocol, model, more = '' }, at) =>
    [['one'], ['first', 'second']].map((keys) => {
      const name = `cache-${at}-${keys.length}`
      return `[[providers]]
name = "${name}"
protocol = "${protocol}"
server = "${SERVERS[protocol]}"
base_url = "${address}"
api_keys = ${JSON.stringify(keys.map((key) => `${key}-${at}`))}
${more}
[[models]]
id = "${name}"
kind = "text"
routes = [{ provider = "${name}", model = "${model}" }]
${PRICE}`
    }),
  ).join('\n')

/** The share of all prompts' tokens that was read from the cache. */
async function cachedShare(
  url: string,
  api_key: string,
  conversation: Omit<Conversation, 'seed'>,
): Promise<number> {
  let prompt = 0
  let cached = 0
  for (let seed = 0; seed < CONVERSATIONS; seed++)
    for (let turn = 0; turn < TURNS; turn++) {
      const { path, body, headers, usageOf } = turnOf({ ...conversation, seed }, turn)
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      const usage = usageOf((await response.json()) as Record<string, unknown>)
      prompt += usage.prompt
      cached += usage.cached
    }
  return cached / prompt
}

/** The cached share on each surface and at each provider with two keys, beside that of one key by the provider's own protocol. */
export async function measureCaches({ upstream, checkout }: Bench): Promise<Figure[]> {
  if (checkout === undefined) return []
  const providers = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: createSimulator().fetch })
  const sections = sectionsAt(providers.url.origin)
  const data = await makeDataFolder(sourceOf(checkout), upstream.port, '', sections)
  const gateway = await startGateway(data)
  const figures: Figure[] = []
  try {
    for (const [at, { name, own }] of PROVIDERS.entries()) {
      const shareOn = (surface: SurfaceName, keys: number) =>
        cachedShare(`http://127.0.0.1:${gateway.port}`, gateway.api_key, {
          surface,
          model: `cache-${at}-${keys}`,
          is_own: surface === own,
        })
      const forwarder = await shareOn(own, 1)
      for (const surface of SURFACES) {
        const share = await shareOn(surface, 2)
        const what = `cached share of an agent's prompts: ${surface} to ${name}`
        const goal = ratioAtLeast(MIN_OF_OWN)
        figures.push({ what, unit: '', gateway: share, forwarder, ratio: share / forwarder, goal })
      }
    }
  } finally {
    await gateway.process.stop()
    data.remove()
    await providers.stop(true)
  }
  return figures
}
