// Mistakes in the setup of known servers: the answer of each server in its own words, and the advice of `providers test`.
import { invalidGrant, PROJECT } from '../../support/google.ts'
import { type Answer, refusal, type Script } from '../../support/upstream.ts'

const HOUR_MS = 3_600_000

export interface Case {
  what: string
  /** The entry of the provider. */
  entry: string
  /** The file `vertex.json` is its key. */
  by_account?: true
  /** The answer of the fake server; absent: the DNS does not find its name. */
  server?: Answer
  /** The answer of the fake token server of Google; absent: it gives a token for each signed request. */
  token_server?: Script | 'not found' | 'refuses to connect'
  /** How far the clock of this machine is ahead. */
  ahead_ms?: number
  result: string
  /** The whole advice. */
  says: string
}

const google = (code: number, status: string, message: string) =>
  refusal(code, [{ error: { code, status, message } }])
const MODEL = `projects/${PROJECT}/locations/europe-west1/publishers/anthropic/models/m`
const error = (status: number, code: string, message: string) => refusal(status, { error: { code, message } })

const AZURE = 'server = "azure"\nresource = "acme"\nresponses = false'
const FOUNDRY = 'server = "foundry"\nresource = "acme"'
const BEDROCK = 'server = "bedrock"\nregion = "eu-west-1"'
const VERTEX = 'server = "vertex"'
const CLAUDE = 'server = "vertex"\nprotocol = "anthropic"\nregion = "europe-west1"'
const NO_HOST =
  'host not found: no server has this name. Check the address (`resource`, `region` or base_url) and the DNS of this machine.'
const AZURE_KEY = error(
  401,
  '401',
  'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
)
const NO_DEPLOYMENT = error(
  404,
  'DeploymentNotFound',
  'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
)
const AZURE_KEY_SAYS =
  'bad key: it does not belong to this Azure resource. Copy the key from the page Keys and Endpoint of the resource, and check `resource` or base_url.'
const NO_DEPLOYMENT_SAYS =
  "not found: the resource has no deployment with this name. A route's model is the name of the deployment, not of the model. New deployments take up to five minutes."
const AT_ACCOUNTS = 'in the Google Cloud console, under IAM & Admin, Service accounts'

/** Refusals in the words of the servers, whose sources src/app/route-tests/known-refusals.ts names. */
export const CASES: readonly Case[] = [
  { what: 'Azure: wrong key', entry: AZURE, server: AZURE_KEY, result: 'bad key', says: AZURE_KEY_SAYS },
  { what: 'Azure: wrong resource', entry: AZURE, result: 'unreachable', says: NO_HOST },
  {
    what: 'Azure: a newer model under a name of its own, without a generation',
    entry: AZURE,
    server: error(
      400,
      'unsupported_parameter',
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ),
    result: 'refused',
    says: 'unknown model: its name does not tell that it is a newer one of OpenAI. Set the `generation` of the route to the model that you deployed, such as "gpt-5.4".',
  },
  {
    what: 'Azure: no deployment of this name',
    entry: AZURE,
    server: NO_DEPLOYMENT,
    result: 'not found',
    says: NO_DEPLOYMENT_SAYS,
  },
  {
    what: 'Azure: wrong version',
    entry: `${AZURE}\napi_version = "2023-01-01"`,
    server: error(404, '404', 'Resource not found'),
    result: 'not found',
    says: 'not found: Azure has nothing at this address. Check `resource` (only its name), api_version, and whether the deployed model has this API.',
  },
  { what: 'Foundry: wrong key', entry: FOUNDRY, server: AZURE_KEY, result: 'bad key', says: AZURE_KEY_SAYS },
  { what: 'Foundry: wrong resource', entry: FOUNDRY, result: 'unreachable', says: NO_HOST },
  {
    what: 'Foundry: no deployment of this name',
    entry: FOUNDRY,
    server: NO_DEPLOYMENT,
    result: 'not found',
    says: NO_DEPLOYMENT_SAYS,
  },
  {
    what: 'Foundry: a resource without Claude',
    entry: FOUNDRY,
    server: error(404, 'api_not_supported', 'Requested API is currently not supported'),
    result: 'not found',
    says: 'wrong address: the resource does not serve this API. Claude needs server = "foundry" with protocol = "anthropic", and a deployment of Claude in this resource.',
  },
  {
    what: 'Bedrock: wrong key, or a key of another region',
    entry: BEDROCK,
    server: refusal(403, { Message: 'Authentication failed: Please make sure your API Key is valid.' }),
    result: 'bad key',
    says: 'bad key: Bedrock does not accept it in this region. A key works only in the region where it was created: check `region`, or create a key in the Bedrock console, under API keys.',
  },
  {
    what: 'Bedrock: an access key of AWS',
    entry: BEDROCK,
    server: refusal(403, { Message: 'Invalid API Key format: Must start with pre-defined prefix' }),
    result: 'bad key',
    says: 'bad key: this is not an API key of Bedrock. AWS access keys do not work here: create an API key in the Bedrock console, under API keys.',
  },
  {
    what: 'Bedrock: expired key',
    entry: BEDROCK,
    server: refusal(403, { message: 'The security token included in the request is expired' }),
    result: 'bad key',
    says: 'key expired: create a new one in the Bedrock console, under API keys. Short-term keys last at most 12 hours.',
  },
  { what: 'Bedrock: a region that does not exist', entry: BEDROCK, result: 'unreachable', says: NO_HOST },
  {
    what: 'Bedrock: a model that this region does not have',
    entry: BEDROCK,
    server: refusal(400, { message: 'The provided model identifier is invalid.' }),
    result: 'refused',
    says: 'not found: this region has no model with this ID. Check `region`, and look up the ID in the Bedrock console, under Model catalog.',
  },
  {
    what: 'Bedrock: model not enabled',
    entry: BEDROCK,
    server: refusal(403, { message: "You don't have access to the model with the specified model ID." }),
    result: 'bad key',
    says: 'model not enabled: open the model in the Bedrock console, under Model catalog, and request access. Claude also needs the form about its use case.',
  },
  {
    what: 'Vertex AI: key deleted',
    entry: VERTEX,
    by_account: true,
    token_server: invalidGrant('Invalid JWT Signature.'),
    result: 'bad key',
    says: `bad key: Google no longer accepts this key of the service account. Create a new JSON key ${AT_ACCOUNTS}, Keys, and replace the file.`,
  },
  {
    what: 'Vertex AI: account deleted',
    entry: VERTEX,
    by_account: true,
    token_server: invalidGrant('Invalid grant: account not found'),
    result: 'bad key',
    says: `bad key: the service account was deleted. Create a new one with a JSON key ${AT_ACCOUNTS}, and replace the file.`,
  },
  {
    what: 'Vertex AI: clock off',
    entry: VERTEX,
    by_account: true,
    ahead_ms: 5 * HOUR_MS,
    result: 'bad key',
    says: 'wrong clock: Google rejects the signatures of this machine, because its clock is off. Turn on time synchronization, such as with `timedatectl set-ntp true`.',
  },
  ...(['not found', 'refuses to connect', refusal(503)] as const).map(
    (token_server): Case => ({
      what: `Vertex AI: token server ${typeof token_server === 'string' ? token_server : 'down'}`,
      entry: VERTEX,
      by_account: true,
      token_server,
      result: 'unreachable',
      says: 'no token: the token server did not answer as expected. Check that this machine can reach it: oauth2.googleapis.com, or the token_uri in the file.',
    }),
  ),
  {
    what: 'Vertex AI: token expired or revoked, and the next one as well',
    entry: VERTEX,
    by_account: true,
    server: google(
      401,
      'UNAUTHENTICATED',
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    ),
    result: 'bad key',
    says: 'bad key: Vertex AI rejected the access token, and a new one as well. Check that the clock of this machine is right and that the service account is enabled.',
  },
  {
    what: 'Vertex AI: wrong project',
    entry: VERTEX,
    by_account: true,
    server: google(403, 'PERMISSION_DENIED', `Permission denied on resource project ${PROJECT}.`),
    result: 'bad key',
    says: 'wrong project: it does not exist, or its billing is off. It is the project_id in the key file: use the key of a service account in the right project, or turn on billing.',
  },
  {
    what: 'Vertex AI: API disabled',
    entry: VERTEX,
    by_account: true,
    server: google(
      403,
      'PERMISSION_DENIED',
      'Vertex AI API has not been used in project 720070608347 before or it is disabled.',
    ),
    result: 'bad key',
    says: 'API disabled: enable it in the Google Cloud project, then wait a few minutes. Vertex AI: https://console.cloud.google.com/apis/library/aiplatform.googleapis.com',
  },
  {
    what: 'Vertex AI: no role',
    entry: CLAUDE,
    by_account: true,
    server: google(
      403,
      'PERMISSION_DENIED',
      `Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/${MODEL}' (or it may not exist).`,
    ),
    result: 'bad key',
    says: 'no permission: give the service account the role Vertex AI User (roles/aiplatform.user), in the Google Cloud console under IAM & Admin, IAM.',
  },
  {
    what: 'Vertex AI: model not enabled',
    entry: CLAUDE,
    by_account: true,
    server: google(
      400,
      'FAILED_PRECONDITION',
      `Project \`123\` is not allowed to use Publisher Model \`${MODEL}\``,
    ),
    result: 'bad key',
    says: 'model not enabled: open the model in Model Garden (https://console.cloud.google.com/vertex-ai/model-garden), enable it and accept its terms.',
  },
  {
    what: 'Vertex AI: wrong region',
    entry: CLAUDE,
    by_account: true,
    server: google(
      404,
      'NOT_FOUND',
      `Publisher Model \`${MODEL}\` was not found or your project does not have access to it.`,
    ),
    result: 'not found',
    says: 'not found: the region does not have this model, or the project has not enabled it. Look up its ID and regions in Model Garden, then set `region`. Newer models are only in "global", "us" and "eu".',
  },
  {
    what: 'Vertex AI: a region that does not exist',
    entry: CLAUDE,
    by_account: true,
    result: 'unreachable',
    says: NO_HOST,
  },
  {
    what: 'Mistral: wrong key',
    entry: 'server = "mistral"',
    server: refusal(401, { detail: 'Unauthorized' }),
    result: 'bad key',
    says: 'bad key: Mistral does not accept it. Create one at https://console.mistral.ai/api-keys. Keys for Codestral work only at https://codestral.mistral.ai/v1.',
  },
  {
    what: 'Groq: wrong key',
    entry: 'server = "groq"',
    server: error(401, 'invalid_api_key', 'Invalid API Key'),
    result: 'bad key',
    says: 'bad key: check the key (api_keys), and that its account at the provider may use this model and has credit.',
  },
  {
    what: 'Groq: unknown model',
    entry: 'server = "groq"',
    server: error(404, 'model_not_found', 'The model `m` does not exist or you do not have access to it.'),
    result: 'not found',
    says: 'not found: look up the name of the model at the provider, and check the version in the address (base_url).',
  },
  {
    what: 'DeepSeek: no credit',
    entry: 'server = "deepseek"',
    server: error(402, 'invalid_request_error', 'Insufficient Balance'),
    result: 'bad key',
    says: 'no credit: the account of this key has no credit left. Add credit at the provider, or raise its limit.',
  },
  {
    what: 'an address of one’s own that does not exist',
    entry: 'protocol = "openai"\nbase_url = "https://models.invalid/v1"',
    result: 'unreachable',
    says: NO_HOST,
  },
]
