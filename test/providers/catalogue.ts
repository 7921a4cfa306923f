// The catalogue of the strict simulated providers on a socket: a provider for each server and protocol, and models with prices.
import { SERVERS } from './servers/servers.ts'

interface Model {
  readonly kind: 'text' | 'embedding' | 'image' | 'speech' | 'transcription' | 'moderation' | 'rerank'
  /** The provider's name for it, which sets its behaviour. */
  readonly name: string
  readonly price: string
}

const text = (name: string): Model => ({ kind: 'text', name, price: 'input = 1, output = 4' })
const embedding: Model = { kind: 'embedding', name: 'embedding', price: 'input = 0.02' }

const OF_GOOGLE = [
  text('flash'),
  embedding,
  { kind: 'image', name: 'image', price: 'per_image = 0.04' },
] as const
const OF_OPENAI = [
  text('gpt'),
  embedding,
  { kind: 'image', name: 'gpt-image-2.6-flare', price: 'per_image = 0.04' },
  { kind: 'speech', name: 'tts', price: 'per_million_characters = 15' },
  { kind: 'transcription', name: 'whisper', price: 'per_minute = 0.006' },
  { kind: 'moderation', name: 'moderation', price: 'input = 0' },
  { kind: 'rerank', name: 'rerank', price: 'per_search = 0.002' },
] as const

/** @param origin the providers' address, without a slash at its end */
export const catalogueAt = (origin: string): string =>
  [
    sectionOf({ server: 'google', base_url: origin, models: OF_GOOGLE }),
    sectionOf({ server: 'anthropic', base_url: origin, models: [text('claude')] }),
    ...SERVERS.map(({ name }) =>
      sectionOf({
        server: name,
        base_url: `${origin}/${name}/v1`,
        models: name === 'openai' ? OF_OPENAI : [text('chat')],
      }),
    ),
  ].join('\n')

interface Section {
  readonly server: string
  readonly base_url: string
  readonly models: readonly Model[]
}

const sectionOf = ({ server, base_url, models }: Section): string => `[[providers]]
name = "strict-${server}"
server = "${server}"
base_url = "${base_url}"
api_keys = ["simulated"]
${models.map((model) => modelOf(server, model)).join('')}`

const modelOf = (server: string, { kind, name, price }: Model): string => `
[[models]]
id = "${server}-${name}"
kind = "${kind}"
routes = [{ provider = "strict-${server}", model = "${name}" }]
price = { ${price} }
`
