// What `providers test` says about further refusals as servers worded them in public (the others: test/catalogue/commands/providers-known.test.ts): the
// threads are named in src/app/route-tests/known-refusals.ts.
import { describe, expect, test } from 'bun:test'
import { knownAdvice } from '../../../src/app/route-tests/known-refusals.ts'
import { BUILT_IN_REGISTRY, protocolNamed } from '../../../src/protocols/registry.ts'

const google = (code: number, status: string, message: string, reason?: string) => ({
  error: { code, message, status, ...(reason ? { details: [{ reason, domain: 'googleapis.com' }] } : {}) },
})

type Row = [what: string, server: string, protocol: string, status: number, body: unknown, advice: string]
const ROWS: Row[] = [
  [
    'Vertex AI, no quota',
    'vertex',
    'anthropic',
    429,
    google(
      429,
      'RESOURCE_EXHAUSTED',
      'Quota exceeded for aiplatform.googleapis.com/online_prediction_input_tokens_per_minute_per_base_model with base model: anthropic-claude-opus-4. Please submit a quota increase request.',
    ),
    'no quota:',
  ],
  [
    'Vertex AI, an API key',
    'vertex',
    'gemini',
    401,
    google(
      401,
      'UNAUTHENTICATED',
      'API keys are not supported by this API. Expected OAuth2 access token or other authentication credentials that assert a principal.',
      'CREDENTIALS_MISSING',
    ),
    'bad key: Vertex AI takes no API key here',
  ],
  [
    'Azure, wrong version',
    'azure',
    'openai',
    400,
    { error: { code: 'BadRequest', message: 'API version not supported' } },
    'wrong api_version:',
  ],
  [
    'Bedrock, key of another kind',
    'bedrock',
    'openai',
    401,
    {
      error: {
        code: 'invalid_api_key',
        message: 'The security token included in the request is invalid.',
        param: null,
        type: 'permission_denied_error',
      },
    },
    'bad key: Bedrock',
  ],
  [
    'Bedrock, no inference profile',
    'bedrock',
    'anthropic',
    400,
    {
      message:
        'Invocation of model ID anthropic.claude-3-7-sonnet-20250219-v1:0 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
    },
    'wrong model ID:',
  ],
  [
    'Bedrock, no form of the use case',
    'bedrock',
    'anthropic',
    400,
    {
      message:
        'You have not filled out the required use-case form for this model. Complete the form before requesting access.',
    },
    'model not enabled:',
  ],
  [
    'Bedrock, no policy',
    'bedrock',
    'anthropic',
    403,
    {
      Message:
        'User: arn:aws:iam::1:user/u is not authorized to perform: bedrock:InvokeModel on resource: r because no identity-based policy allows the bedrock:InvokeModel action',
    },
    'no permission:',
  ],
  [
    'OpenAI, model not of the project',
    'openai',
    'openai',
    403,
    {
      error: {
        message: 'Project `proj_1` does not have access to model `gpt-4o-mini`',
        type: 'invalid_request_error',
        param: null,
        code: 'model_not_found',
      },
    },
    'model not enabled: the project',
  ],
  [
    'OpenAI, no credit',
    'openai',
    'openai',
    429,
    {
      error: {
        message: 'You exceeded your current quota, please check your plan and billing details.',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      },
    },
    'no credit:',
  ],
  [
    'Anthropic, no credit',
    'anthropic',
    'anthropic',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'Your credit balance is too low to access the Anthropic API.',
      },
    },
    'no credit:',
  ],
]

const readFailure = (protocol: string, status: number, body: unknown) =>
  protocolNamed(BUILT_IN_REGISTRY, protocol).readFailure(status, new Headers(), JSON.stringify(body))

describe('a refusal of a known server', () => {
  test.each(ROWS)('%s', (_, server, protocol, status, body, advice) => {
    expect(knownAdvice(readFailure(protocol, status, body).message, server)).toStartWith(advice)
  })

  // A key, a project or a region of the operator's is at fault, so another route may serve: no caller is told.
  test.each(ROWS.filter(([, server]) => server === 'vertex'))(
    '%s is not the caller’s fault',
    (_, __, protocol, status, body) => {
      expect(readFailure(protocol, status, body).failure_class).not.toBe('bad_request')
    },
  )
})

describe('what has no row', () => {
  test.each([
    ['a prompt that is too long', 'openai', "This model's maximum context length is 128000 tokens."],
    ['another server’s "Resource not found"', 'groq', 'Resource not found'],
    ['another server’s "Unauthorized"', undefined, 'Unauthorized'],
    ['nothing', 'vertex', ''],
  ])('%s', (_, server, words) => {
    expect(knownAdvice(words, server)).toBeUndefined()
  })
})
