// The advice of `providers test` about refusals as servers worded them in public threads, which src/app/route-tests/known-refusals.ts
// names. Further refusals: test/catalogue/commands/providers-known.test.ts.
import { describe, expect, test } from 'bun:test'
import { knownAdvice } from '../../../src/app/route-tests/known-refusals.ts'
import { BUILT_IN_REGISTRY, protocolNamed } from '../../../src/protocols/registry.ts'

type Row = [name: string, server: string, protocol: string, status: number, message: string, advice: string]
const ROWS: Row[] = [
  [
    'no quota',
    'vertex',
    'anthropic',
    429,
    'Quota exceeded for aiplatform.googleapis.com/online_prediction_input_tokens_per_minute_per_base_model with base model: anthropic-claude-opus-4. Please submit a quota increase request.',
    'no quota:',
  ],
  [
    'an API key',
    'vertex',
    'gemini',
    401,
    'API keys are not supported by this API. Expected OAuth2 access token or other authentication credentials that assert a principal.',
    'bad key: Vertex AI takes no API key here',
  ],
  ['wrong version', 'azure', 'openai', 400, 'API version not supported', 'wrong api_version:'],
  [
    'key of another kind',
    'bedrock',
    'openai',
    401,
    'The security token included in the request is invalid.',
    'bad key: Bedrock',
  ],
  [
    'no inference profile',
    'bedrock',
    'anthropic',
    400,
    'Invocation of model ID anthropic.claude-3-7-sonnet-20250219-v1:0 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
    'wrong model ID:',
  ],
  [
    'no form of the use case',
    'bedrock',
    'anthropic',
    400,
    'You have not filled out the required use-case form for this model. Complete the form before requesting access.',
    'model not enabled:',
  ],
  [
    'no policy',
    'bedrock',
    'anthropic',
    403,
    'User: arn:aws:iam::1:user/u is not authorized to perform: bedrock:InvokeModel on resource: r because no identity-based policy allows the bedrock:InvokeModel action',
    'no permission:',
  ],
  [
    'model not of the project',
    'openai',
    'openai',
    403,
    'Project `proj_1` does not have access to model `gpt-4o-mini`',
    'model not enabled: the project',
  ],
  [
    'no credit',
    'openai',
    'openai',
    429,
    'You exceeded your current quota, please check your plan and billing details.',
    'no credit:',
  ],
  [
    'no credit',
    'anthropic',
    'anthropic',
    400,
    'Your credit balance is too low to access the Anthropic API.',
    'no credit:',
  ],
]

/** The body of each server, with its message. */
const BODIES: Readonly<Record<string, (message: string, code: number) => unknown>> = {
  vertex: (message, code) => ({
    error: { code, message, status: code === 429 ? 'RESOURCE_EXHAUSTED' : 'UNAUTHENTICATED' },
  }),
  bedrock: (message) => ({ message }),
  anthropic: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
}
const OPENAI_BODY = (message: string): unknown => ({ error: { message, type: 'x', param: null, code: 'x' } })

const readFailure = ([, server, protocol, status, message]: Row) => {
  const bodyOf = protocol === 'openai' ? OPENAI_BODY : (BODIES[server] ?? OPENAI_BODY)
  return protocolNamed(BUILT_IN_REGISTRY, protocol).readFailure(
    status,
    new Headers(),
    JSON.stringify(bodyOf(message, status)),
  )
}

describe('a refusal of a known server', () => {
  test.each(ROWS.map((row) => [`${row[1]}, ${row[0]}`, row] as const))('%s', (_, row) => {
    expect(knownAdvice(readFailure(row).message, row[1])).toStartWith(row[5])
  })

  // The key, project or region of the operator is at fault: another route may serve, and the caller does not see the failure.
  test.each(ROWS.filter(([, server]) => server === 'vertex').map((row) => [row[0], row] as const))(
    'Vertex AI, %s: not the caller’s fault',
    (_, row) => {
      expect(readFailure(row).failure_class).not.toBe('bad_request')
    },
  )
})

describe('a refusal without advice', () => {
  test.each([
    ['too long a prompt', 'openai', "This model's maximum context length is 128000 tokens."],
    ['another server’s "Resource not found"', 'groq', 'Resource not found'],
    ['another server’s "Unauthorized"', undefined, 'Unauthorized'],
    ['an empty message', 'vertex', ''],
  ])('%s', (_, server, words) => {
    expect(knownAdvice(words, server)).toBeUndefined()
  })
})
