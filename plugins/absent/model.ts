// APIs of providers that this gateway does not implement, and what callers can do instead.
import type { ClientApi } from '../../src/app/surface/client-api.ts'

/** An API that is not implemented. */
interface AbsentApi {
  /** The provider whose format the error has, if the request does not show which client sent it. */
  of: ClientApi
  instead: string
}

const INLINE = 'Send files inside the request, as base64 data.'
const ONE_BY_ONE = 'Send each request on its own.'
const CONVERSATION =
  'POST /v1/responses keeps conversations (previous_response_id). Or keep yours, and send it with each request.'
const AGENTS = 'Run the agent on your side, over /v1/messages.'
const BY_WORDS = 'Send "stream": true to /v1/responses or /v1/chat/completions.'
const OWN_TOOLS = 'Run it on your side, and offer it to the model as a tool.'
const OWN_SEARCH = 'Search on your side: POST /v1/embeddings creates the vectors.'
const OPERATOR = 'Only the operator of this gateway can manage this.'
const LISTED = 'GET /v1/models lists the models that you may call.'
const ACCOUNT = 'GET /api/v1/account and GET /api/v1/usage show your account and its usage.'
const SENT_ALONG = 'Send the content with each request. Providers cache prompts automatically.'

const openai = (instead: string): AbsentApi => ({ of: 'openai', instead })
const anthropic = (instead: string): AbsentApi => ({ of: 'anthropic', instead })
const google = (instead: string): AbsentApi => ({ of: 'google', instead })

/** By the segment after `/v1/` in the path that the providers' SDKs request. */
const ABSENT: Readonly<Record<string, AbsentApi>> = {
  files: openai(INLINE),
  uploads: openai(INLINE),
  batches: openai(ONE_BY_ONE),
  assistants: openai(CONVERSATION),
  threads: openai(CONVERSATION),
  conversations: openai(CONVERSATION),
  vector_stores: openai(OWN_SEARCH),
  containers: openai(OWN_TOOLS),
  realtime: openai(BY_WORDS),
  live: openai(BY_WORDS),
  chatkit: openai(CONVERSATION),
  fine_tuning: openai(LISTED),
  engines: openai(LISTED),
  evals: openai('Run evaluations on your side, over /v1/chat/completions.'),
  videos: openai('No model here makes videos; POST /v1/images/generations makes images.'),
  organization: openai(ACCOUNT),
  projects: openai(ACCOUNT),
  webhook_endpoints: openai('GET /api/v1/events is a live feed of your calls.'),
  edits: openai('Use /v1/chat/completions.'),

  skills: anthropic(OWN_TOOLS),
  complete: anthropic('Use POST /v1/messages.'),
  agents: anthropic(AGENTS),
  sessions: anthropic(AGENTS),
  environments: anthropic(AGENTS),
  deployments: anthropic(AGENTS),
  deployment_runs: anthropic(AGENTS),
  dreams: anthropic(AGENTS),
  memory_stores: anthropic(AGENTS),
  tunnels: anthropic(AGENTS),
  vaults: anthropic(OPERATOR),
  user_profiles: anthropic(OPERATOR),
  organizations: anthropic(ACCOUNT),

  cachedContents: google(SENT_ALONG),
  fileSearchStores: google(OWN_SEARCH),
  interactions: google('Use models/{model}:generateContent, and send the conversation with each request.'),
  operations: google('Answers are complete at once, so operations do not exist here.'),
  tunedModels: google(LISTED),
  tuningJobs: google(LISTED),
  auth_tokens: google(OPERATOR),
}

/** Returns the API that a path belongs to. @param area as returned by `areaOf` */
export const absentApi = (area: string): AbsentApi | undefined =>
  Object.hasOwn(ABSENT, area) ? ABSENT[area] : undefined

/** Returns advice about a path of no known API. */
export const adviceOn = (area: string): string =>
  /^v\d+(?:beta|alpha)?\d*$/.test(area)
    ? `The path has a version twice: leave "/v1" out of the base address.`
    : 'Check the path and the method.'

const AREA = /^\/v1\/([^/:?]*)/

/** Returns the path after `/v1/`, up to the next slash or colon. */
export const areaOf = (url: string): string => AREA.exec(new URL(url).pathname)?.[1] ?? ''
