// What `providers test` says about refusals as servers worded them in public: the threads are named in src/trials/known-refusals.ts.
import { describe, expect, test } from 'bun:test'
import { BUILT_IN_REGISTRY, protocolNamed } from '../../src/protocols/registry.ts'
import { knownAdvice } from '../../src/trials/known-refusals.ts'

const google = (code: number, status: string, message: string, reason?: string) => ({
  error: { code, message, status, ...(reason ? { details: [{ reason, domain: 'googleapis.com' }] } : {}) },
})
const MODEL = '`projects/p-1/locations/us-central1/publishers/anthropic/models/claude-sonnet-4-5@20250929`'

type Row = [what: string, server: string, protocol: string, status: number, body: unknown, advice: string]
const ROWS: Row[] = [
  [
    'Vertex AI, API off',
    'vertex',
    'gemini',
    403,
    google(
      403,
      'PERMISSION_DENIED',
      'Vertex AI API has not been used in project 720070608347 before or it is disabled. Enable it by visiting https://console.developers.google.com/apis/api/aiplatform.googleapis.com/overview?project=720070608347 then retry.',
      'SERVICE_DISABLED',
    ),
    'API disabled:',
  ],
  [
    'Vertex AI, wrong project',
    'vertex',
    'anthropic',
    403,
    google(
      403,
      'PERMISSION_DENIED',
      'Permission denied on resource project gen-lang-client-xxxxx.',
      'CONSUMER_INVALID',
    ),
    'wrong project:',
  ],
  [
    'Vertex AI, no role',
    'vertex',
    'gemini',
    403,
    google(
      403,
      'PERMISSION_DENIED',
      "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/p/locations/us-central1/publishers/google/models/gemini-pro' (or it may not exist).",
      'IAM_PERMISSION_DENIED',
    ),
    'no permission:',
  ],
  [
    'Vertex AI, model not enabled',
    'vertex',
    'anthropic',
    400,
    [google(400, 'FAILED_PRECONDITION', `Project \`123\` is not allowed to use Publisher Model ${MODEL}`)],
    'model not enabled:',
  ],
  [
    'Vertex AI, wrong region',
    'vertex',
    'anthropic',
    404,
    [
      google(
        404,
        'NOT_FOUND',
        `Publisher Model ${MODEL} was not found or your project does not have access to it. Please ensure you are using a valid model version.`,
      ),
    ],
    'not found: this region',
  ],
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
    'Vertex AI, token expired',
    'vertex',
    'gemini',
    401,
    google(
      401,
      'UNAUTHENTICATED',
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
      'ACCESS_TOKEN_EXPIRED',
    ),
    'bad key: Vertex AI took neither',
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
    'bad key: this needs a service account',
  ],
  [
    'Azure, wrong key or resource',
    'azure',
    'openai',
    401,
    {
      error: {
        code: '401',
        message:
          'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
      },
    },
    'bad key: Azure',
  ],
  [
    'Azure, no deployment',
    'azure',
    'openai',
    404,
    {
      error: {
        code: 'DeploymentNotFound',
        message:
          'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
      },
    },
    'not found: the resource has no deployment',
  ],
  [
    'Azure, wrong path',
    'azure',
    'openai',
    404,
    { error: { code: '404', message: 'Resource not found' } },
    'not found: nothing is at',
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
    'Foundry, wrong address',
    'foundry',
    'openai',
    404,
    { error: { code: 'api_not_supported', message: 'Requested API is currently not supported' } },
    'wrong address:',
  ],
  [
    'Bedrock, wrong key or region',
    'bedrock',
    'anthropic',
    403,
    { Message: 'Authentication failed: Please make sure your API Key is valid.' },
    'bad key: Bedrock',
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
    'Bedrock, key expired',
    'bedrock',
    'openai',
    403,
    { message: 'The security token included in the request is expired' },
    'key expired:',
  ],
  [
    'Bedrock, model not enabled',
    'bedrock',
    'anthropic',
    403,
    { message: "You don't have access to the model with the specified model ID." },
    'model not enabled:',
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
    'wrong model id:',
  ],
  [
    'Bedrock, model of another region',
    'bedrock',
    'openai',
    400,
    { message: 'The provided model identifier is invalid.' },
    'not found: this region',
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
    'model not enabled: allow it',
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
    'DeepSeek, no credit',
    'deepseek',
    'openai',
    402,
    { error: { message: 'Insufficient Balance', type: 'unknown_error' } },
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
  ['Mistral, wrong key', 'mistral', 'openai', 401, { detail: 'Unauthorized' }, 'bad key: Mistral'],
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
