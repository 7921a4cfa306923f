// Advice on known error messages of the most used servers, collected from public threads.

/** The advice begins with the problem. Servers are named as in the catalogue; all if absent. */
type KnownRefusal = readonly [words: RegExp, advice: string, servers?: readonly string[]]

const ACCOUNTS = 'in the Google Cloud console, under IAM & Admin, Service accounts'

/** The first match applies. */
const KNOWN_REFUSALS: readonly KnownRefusal[] = [
  // https://github.com/a-marenkov/gsheets/issues/96, https://github.com/googleapis/google-cloud-python/issues/15080
  [
    /short-lived token|check your iat and exp/i,
    'wrong clock: Google rejects the signatures of this machine, because its clock is off. Turn on time synchronization, such as with `timedatectl set-ntp true`.',
  ],
  // https://github.com/google-github-actions/setup-gcloud/issues/76
  [
    /Invalid JWT Signature/i,
    `bad key: Google no longer accepts this key of the service account. Create a new JSON key ${ACCOUNTS}, Keys, and replace the file.`,
  ],
  // https://github.com/googleapis/google-api-ruby-client/issues/720
  [
    /Robot is disabled|account (?:is|has been) disabled/i,
    `bad key: the service account is disabled. Enable it ${ACCOUNTS}.`,
  ],
  // https://github.com/googleapis/google-cloud-php/issues/3622, https://github.com/GAM-team/GAM/pull/1171
  [
    /Invalid grant: account not found|account has been deleted|deleted_client/i,
    `bad key: the service account was deleted. Create a new one with a JSON key ${ACCOUNTS}, and replace the file.`,
  ],
  // Messages of src/upstream/tokens/exchange.ts, and of the runtime, for an exchange without an answer of the token server.
  [
    /no access token for the service account: (?:no answer|the answer|status [35]|.*(?:connect|ENOTFOUND|getaddrinfo|certificate))/i,
    'no token: the token server did not answer as expected. Check that this machine can reach it: oauth2.googleapis.com, or the token_uri in the file.',
  ],
  // https://github.com/GoogleCloudPlatform/vertex-ai-samples/issues/476
  [
    /API has not been used in project .* or it is disabled/is,
    'API disabled: enable it in the Google Cloud project, then wait a few minutes. Vertex AI: https://console.cloud.google.com/apis/library/aiplatform.googleapis.com',
  ],
  // https://github.com/Kilo-Org/kilocode/issues/2842
  [
    /Permission denied on resource project/i,
    'wrong project: it does not exist, or its billing is off. It is the project_id in the key file: use the key of a service account in the right project, or turn on billing.',
  ],
  // https://github.com/rhel-lightspeed/linux-mcp-server/pull/450
  [
    /Permission 'aiplatform\.\S+' denied/i,
    'no permission: give the service account the role Vertex AI User (roles/aiplatform.user), in the Google Cloud console under IAM & Admin, IAM.',
  ],
  // https://github.com/yym68686/uni-api/issues/41
  [
    /is not allowed to use Publisher Model/i,
    'model not enabled: open the model in Model Garden (https://console.cloud.google.com/vertex-ai/model-garden), enable it and accept its terms.',
  ],
  // https://github.com/cline/cline/issues/8698, https://github.com/BerriAI/litellm/issues/37989
  [
    /Publisher Model .* (?:was )?not found/is,
    'not found: the region does not have this model, or the project has not enabled it. Look up its ID and regions in Model Garden, then set `region`. Newer models are only in "global", "us" and "eu".',
  ],
  // https://github.com/anthropics/claude-code/issues/1440
  [
    /Quota exceeded for aiplatform\.googleapis\.com/i,
    'no quota: new projects may have none for this model. Request more under IAM & Admin, Quotas & System Limits, or use another region.',
  ],
  // https://github.com/a2aproject/a2a-samples/issues/43
  [
    /API keys are not supported by this API/i,
    'bad key: Vertex AI takes no API key here. Use the JSON key of a service account: api_keys = ["file:vertex.json"].',
  ],
  // https://github.com/googleapis/google-cloud-python/issues/15080
  [
    /invalid authentication credentials|ACCESS_TOKEN_EXPIRED/i,
    'bad key: Vertex AI rejected the access token, and a new one as well. Check that the clock of this machine is right and that the service account is enabled.',
    ['vertex'],
  ],
  // https://github.com/MicrosoftDocs/azure-docs/issues/114013
  [
    /API deployment for this resource does not exist|DeploymentNotFound/i,
    "not found: the resource has no deployment with this name. A route's model is the name of the deployment, not of the model. New deployments take up to five minutes.",
  ],
  // https://github.com/microsoft/semantic-kernel/issues/10337
  [
    /invalid subscription key or wrong API endpoint/i,
    'bad key: it does not belong to this Azure resource. Copy the key from the page Keys and Endpoint of the resource, and check `resource` or base_url.',
  ],
  // https://github.com/anthropics/claude-code/issues/67179
  [
    /api_not_supported|Requested API is currently not supported/i,
    'wrong address: the resource does not serve this API. Claude needs server = "foundry" with protocol = "anthropic", and a deployment of Claude in this resource.',
  ],
  // https://github.com/owndev/Open-WebUI-Functions/issues/136
  [
    /'max_tokens' is not supported with this model/i,
    'unknown model: its name does not tell that it is a newer one of OpenAI. Set the `generation` of the route to the model that you deployed, such as "gpt-5.4".',
  ],
  // https://github.com/anomalyco/opencode/issues/12186
  [
    /API version not supported/i,
    'wrong api_version: remove it to use the current API, or set one that Azure lists for this model.',
  ],
  // https://github.com/langchain-ai/langchain/issues/13284
  [
    /Resource not found/i,
    'not found: Azure has nothing at this address. Check `resource` (only its name), api_version, and whether the deployed model has this API.',
    ['azure', 'foundry'],
  ],
  // https://github.com/farion1231/cc-switch/issues/1679
  [
    /Invalid API Key format: Must start with/i,
    'bad key: this is not an API key of Bedrock. AWS access keys do not work here: create an API key in the Bedrock console, under API keys.',
  ],
  // https://github.com/ai4s-research/open-science/issues/53, https://github.com/UKGovernmentBEIS/inspect_ai/pull/4118
  [
    /make sure your API Key is valid|security token included in the request is invalid/i,
    'bad key: Bedrock does not accept it in this region. A key works only in the region where it was created: check `region`, or create a key in the Bedrock console, under API keys.',
  ],
  // https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html: short-term keys
  [
    /token (?:included in the request )?(?:is|has) expired/i,
    'key expired: create a new one in the Bedrock console, under API keys. Short-term keys last at most 12 hours.',
    ['bedrock'],
  ],
  // https://github.com/strands-agents/harness-sdk/issues/38, https://github.com/truefoundry/models/pull/934
  [
    /don't have access to the model with the specified model ID|AWS Marketplace|use[- ]case (?:form|details)/i,
    'model not enabled: open the model in the Bedrock console, under Model catalog, and request access. Claude also needs the form about its use case.',
  ],
  // https://github.com/terricain/aioboto3/issues/352
  [
    /on-demand throughput isn.t supported/i,
    'wrong model ID: Bedrock serves this model only through inference profiles. Put us., eu. or global. in front of its ID.',
  ],
  // https://github.com/aws-samples/agents4energy/issues/166
  [
    /provided model identifier is invalid/i,
    'not found: this region has no model with this ID. Check `region`, and look up the ID in the Bedrock console, under Model catalog.',
  ],
  // https://github.com/BerriAI/litellm/pull/39166
  [
    /is not authorized to perform: bedrock:/i,
    'no permission: the IAM user of this key may not call the model. Attach the policy AmazonBedrockLimitedAccess to it.',
  ],
  // https://github.com/cursor/cursor/issues/2953
  [
    /Project `[^`]*` does not have access to model/i,
    'model not enabled: the project of this key may not use it. Allow it in the settings of OpenAI, under Project, Limits, or use a key of another project.',
  ],
  // https://github.com/BeehiveInnovations/pal-mcp-server/issues/144
  [
    /must be verified to (?:use|stream)/i,
    'model not enabled: OpenAI offers it to verified organizations only. Verify yours under Settings, Organization, General.',
  ],
  // https://github.com/openai/codex/issues/486, https://github.com/continuedev/continue/issues/9375, https://github.com/anomalyco/opencode/issues/12219
  [
    /exceeded your current quota|Insufficient Balance|requires more credits|insufficient credits|credit balance is too low|used all available credits/i,
    'no credit: the account of this key has no credit left. Add credit at the provider, or raise its limit.',
  ],
  // https://github.com/continuedev/continue/issues/2242, https://github.com/cline/cline/issues/6235
  [
    /Unauthorized/i,
    'bad key: Mistral does not accept it. Create one at https://console.mistral.ai/api-keys. Keys for Codestral work only at https://codestral.mistral.ai/v1.',
    ['mistral'],
  ],
  // https://github.com/oven-sh/bun/pull/32990
  [
    /ENOTFOUND|getaddrinfo/i,
    'host not found: no server has this name. Check the address (`resource`, `region` or base_url) and the DNS of this machine.',
  ],
]

/** Returns the advice on an error message; undefined if it is unknown. @param server as named in the catalogue or derived from the address */
export const knownAdvice = (words: string, server: string | undefined): string | undefined =>
  KNOWN_REFUSALS.find(
    ([known, , servers]) =>
      (servers === undefined || (server !== undefined && servers.includes(server))) && known.test(words),
  )?.[1]
