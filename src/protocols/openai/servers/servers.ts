// The known servers of OpenAI's protocol: their names, their hosts, and which one a provider is.
import type { Provider } from '../../../domain/catalogue.ts'

/** One known server. What may be sent to it, and how it answers, differs between them. */
interface KnownServer {
  /** Hosts of its addresses; absent where people run it themselves, so that only the catalogue can tell. */
  readonly hosts?: RegExp
  /** The port that it listens on where nobody says otherwise. */
  readonly port?: string
  /** It also speaks the Responses API, and providers of it are asked in it. */
  readonly speaks_responses?: true
  /** Its chat completions take and give reasoning, with tools as well, of models whose own provider has that in responses only. */
  readonly reasons_in_chat?: true
}

const SERVERS = {
  /** https://platform.openai.com/docs/api-reference/responses; regions have hosts of their own: `eu.api.openai.com`. */
  openai: { hosts: /^(?:[\w-]+\.)?api\.openai\.com$/, speaks_responses: true },
  /** https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle */
  azure: { hosts: /\.(?:openai|services\.ai|cognitiveservices)\.azure\.(?:com|us|cn)$/ },
  /** https://openrouter.ai/docs/api-reference/responses-api, https://openrouter.ai/docs/use-cases/reasoning-tokens */
  openrouter: { hosts: /^(?:[\w-]+\.)?openrouter\.ai$/, speaks_responses: true, reasons_in_chat: true },
  /** https://console.groq.com/docs/openai */
  groq: { hosts: /^api\.groq\.com$/ },
  /** https://api-docs.deepseek.com */
  deepseek: { hosts: /^api\.deepseek\.com$/ },
  /** https://docs.mistral.ai/api */
  mistral: { hosts: /^(?:api|codestral)\.mistral\.ai$/ },
  /** https://docs.x.ai/docs/api-reference; regions: `us-east-1.api.x.ai`. */
  xai: { hosts: /^(?:[\w-]+\.)?api\.x\.ai$/ },
  /** https://platform.moonshot.ai/docs/api/chat */
  moonshot: { hosts: /^api\.moonshot\.(?:ai|cn)$/ },
  /** https://docs.together.ai/docs/openai-api-compatibility */
  together: { hosts: /^api\.together\.(?:xyz|ai)$/ },
  /** https://docs.ollama.com/api/openai-compatibility */
  ollama: { hosts: /^(?:www\.)?ollama\.com$/, port: '11434' },
  /** https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html */
  vllm: {},
} as const satisfies Readonly<Record<string, KnownServer>>

export type ServerName = keyof typeof SERVERS

export const isServerName = (name: string | undefined): name is ServerName =>
  name !== undefined && Object.hasOwn(SERVERS, name)

export const SERVER_NAMES: readonly ServerName[] = Object.keys(SERVERS).filter(isServerName)

/** What tells the server of a provider. */
type Addressed = Pick<Provider, 'base_url' | 'server'>

/**
 * The known server behind a provider's address: the one that the catalogue names, else the one whose host it is;
 * undefined for all others. The catalogue reads each simulated provider with the server that it plays.
 */
export function serverOf({ base_url, server }: Addressed): ServerName | undefined {
  if (isServerName(server)) return server
  const url = URL.canParse(base_url) ? new URL(base_url) : undefined
  return url && SERVER_NAMES.find((name) => isAt(factsOf(name), url))
}

const isAt = ({ hosts, port }: KnownServer, url: URL): boolean =>
  hosts?.test(url.hostname) === true || (port !== undefined && url.port === port)

/** Whether a provider is asked in the Responses API where the catalogue says nothing about it. */
export function speaksResponses(provider: Addressed): boolean {
  const server = serverOf(provider)
  return server !== undefined && factsOf(server).speaks_responses === true
}

/** Whether a provider's chat completions have all that responses has. */
export function reasonsInChat(provider: Addressed): boolean {
  const server = serverOf(provider)
  return server !== undefined && factsOf(server).reasons_in_chat === true
}

const factsOf = (name: ServerName): KnownServer => SERVERS[name]
