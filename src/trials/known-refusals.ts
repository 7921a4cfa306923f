// What to do about refusals whose words are known: those of the servers that people ask most, as public threads report them.

interface KnownRefusal {
  /** As the catalogue names them; absent for all. */
  readonly servers?: readonly string[]
  readonly words: RegExp
  /** Begins with what is wrong. */
  readonly advice: string
}

const NEW_KEY = 'In the Google Cloud console open IAM & Admin, Service accounts, and'

/** The first that fits holds. */
const KNOWN_REFUSALS: readonly KnownRefusal[] = [
  {
    // https://github.com/a-marenkov/gsheets/issues/96, https://github.com/googleapis/google-cloud-python/issues/15080
    words: /short-lived token|check your iat and exp/i,
    advice:
      'wrong clock: this machine is minutes or hours off, so that Google takes no signature of it. Sync it with NTP (`timedatectl set-ntp true`).',
  },
  {
    // https://github.com/google-github-actions/setup-gcloud/issues/76
    words: /Invalid JWT Signature/i,
    advice: `bad key: Google no longer has this key of the service account. ${NEW_KEY} create another one; replace the file.`,
  },
  {
    // https://github.com/googleapis/google-api-ruby-client/issues/720
    words: /Robot is disabled|account (?:is|has been) disabled/i,
    advice: `bad key: the service account is disabled. ${NEW_KEY} enable it.`,
  },
  {
    // https://github.com/googleapis/google-cloud-php/issues/3622, https://github.com/GAM-team/GAM/pull/1171
    words: /Invalid grant: account not found|account has been deleted|deleted_client/i,
    advice: `bad key: the service account was deleted. ${NEW_KEY} create another one with a key; replace the file.`,
  },
  {
    words:
      /no access token for the service account: (?:no answer|the answer|status 5|Unable to connect|.*connection)/i,
    advice:
      'no token: the token server (token_uri in the file) did not answer as it should. Check the way there: oauth2.googleapis.com, port 443.',
  },
  {
    // https://github.com/GoogleCloudPlatform/vertex-ai-samples/issues/476
    words: /API has not been used in project .* or it is disabled/is,
    advice:
      'API disabled: enable it in the Google Cloud project, for Vertex AI at https://console.cloud.google.com/apis/library/aiplatform.googleapis.com, and wait some minutes.',
  },
  {
    // https://github.com/Kilo-Org/kilocode/issues/2842
    words: /Permission denied on resource project/i,
    advice:
      'wrong project: it does not exist, or its billing is off. It is the project_id of the key’s file: take a key from the project that you mean.',
  },
  {
    // https://github.com/rhel-lightspeed/linux-mcp-server/pull/450
    words: /Permission 'aiplatform\.\S+' denied/i,
    advice:
      'no permission: give the service account the role Vertex AI User (roles/aiplatform.user) in its project, under IAM & Admin, IAM.',
  },
  {
    // https://github.com/yym68686/uni-api/issues/41
    words: /is not allowed to use Publisher Model/i,
    advice:
      'model not enabled: open the model in Model Garden (https://console.cloud.google.com/vertex-ai/model-garden), enable it, and accept its terms.',
  },
  {
    // https://github.com/cline/cline/issues/8698, https://github.com/BerriAI/litellm/issues/37989
    words: /Publisher Model .* (?:was )?not found/is,
    advice:
      'not found: this region does not have the model, or the project has not enabled it. Look up its id and regions in Model Garden, and set region in the catalogue: newer models are in "global", "us" and "eu" only.',
  },
  {
    // https://github.com/anthropics/claude-code/issues/1440
    words: /Quota exceeded for aiplatform\.googleapis\.com/i,
    advice:
      'no quota: a new project may have none for this model. Ask for more under IAM & Admin, Quotas & System Limits, or use another region.',
  },
  {
    // https://github.com/a2aproject/a2a-samples/issues/43
    words: /API keys are not supported by this API/i,
    advice:
      'bad key: this needs a service account. Name its file in the catalogue: api_keys = ["file:vertex.json"].',
  },
  {
    // https://github.com/googleapis/google-cloud-python/issues/15080
    servers: ['vertex'],
    words: /invalid authentication credentials|ACCESS_TOKEN_EXPIRED/i,
    advice:
      'bad key: Vertex AI took neither the token nor a new one. Check that the clock of this machine is right, and that the service account is enabled.',
  },
  {
    // https://github.com/MicrosoftDocs/azure-docs/issues/114013
    words: /API deployment for this resource does not exist|DeploymentNotFound/i,
    advice:
      'not found: the resource has no deployment of this name. The model of a route is the name of the deployment, not of the model; a new one takes five minutes.',
  },
  {
    // https://github.com/microsoft/semantic-kernel/issues/10337
    words: /invalid subscription key or wrong API endpoint/i,
    advice:
      'bad key: Azure does not know it for this resource. Copy both from one page, Keys and Endpoint of the resource, and check `resource` or base_url.',
  },
  {
    // https://github.com/anthropics/claude-code/issues/67179
    words: /api_not_supported|Requested API is currently not supported/i,
    advice:
      'wrong address: the resource does not serve this API there. For Claude write server = "foundry" and protocol = "anthropic".',
  },
  {
    // https://github.com/anomalyco/opencode/issues/12186
    words: /API version not supported/i,
    advice:
      'wrong api_version: leave it out, which asks the current API, or write one that Azure lists for this model.',
  },
  {
    // https://github.com/langchain-ai/langchain/issues/13284
    servers: ['azure', 'foundry'],
    words: /Resource not found/i,
    advice:
      'not found: nothing is at this address. Check `resource` (its name alone), api_version, and that the deployment is of a model of this kind.',
  },
  {
    // https://github.com/ai4s-research/open-science/issues/53, https://github.com/UKGovernmentBEIS/inspect_ai/pull/4118
    words: /make sure your API Key is valid|security token included in the request is invalid/i,
    advice:
      'bad key: Bedrock does not know it here. A key is valid in the region in which it was created only: check `region`, then create another in the Bedrock console, API keys.',
  },
  {
    words: /(?:security )?token (?:included in the request )?(?:is|has) expired/i,
    advice:
      'key expired: create another one. Short-term keys of Bedrock end after 12 hours; long-term ones when you said.',
  },
  {
    // https://github.com/strands-agents/harness-sdk/issues/38
    words: /don't have access to the model with the specified model ID|AWS Marketplace/i,
    advice:
      'model not enabled: request access in the Bedrock console, Model access; for Claude fill in the form of its use case.',
  },
  {
    // https://github.com/terricain/aioboto3/issues/352
    words: /on-demand throughput isn.t supported/i,
    advice:
      'wrong model id: this model is called by an inference profile only. Put us., eu. or global. before its id.',
  },
  {
    // https://github.com/aws-samples/agents4energy/issues/166
    words: /provided model identifier is invalid/i,
    advice:
      'not found: this region does not have the model under this id. Check `region`, and look up the id in the Bedrock console, Model catalog.',
  },
  {
    // https://github.com/BerriAI/litellm/pull/39166
    words: /is not authorized to perform: bedrock:/i,
    advice:
      'no permission: the user of this key may not call the model. Attach the policy AmazonBedrockLimitedAccess to it in IAM.',
  },
  {
    // https://github.com/cursor/cursor/issues/2953
    words: /Project `[^`]*` does not have access to model/i,
    advice:
      'model not enabled: allow it for the project of this key, under Settings, Project, Limits, or take a key of another project.',
  },
  {
    // https://github.com/BeehiveInnovations/pal-mcp-server/issues/144
    words: /must be verified to (?:use|stream)/i,
    advice:
      'model not enabled: OpenAI gives it to verified organizations only. Verify yours under Settings, Organization, General.',
  },
  {
    // https://github.com/openai/codex/issues/486, https://github.com/continuedev/continue/issues/9375, https://github.com/anomalyco/opencode/issues/12219
    words:
      /exceeded your current quota|Insufficient Balance|requires more credits|insufficient credits|credit balance is too low|used all available credits/i,
    advice:
      'no credit: the account of this key has nothing left. Add credit, or raise its limit, at the provider.',
  },
  {
    // https://github.com/continuedev/continue/issues/2242, https://github.com/cline/cline/issues/6235
    servers: ['mistral'],
    words: /Unauthorized/i,
    advice:
      'bad key: Mistral does not know it. Keys made for Codestral are for https://codestral.mistral.ai/v1 only: create one at https://console.mistral.ai/api-keys.',
  },
  {
    // https://github.com/oven-sh/bun/pull/32990
    words: /ENOTFOUND|getaddrinfo/i,
    advice:
      'host not found: no server has this name. Check base_url, `region` or `resource`, and whether this machine looks up names (DNS).',
  },
]

/** What to do about a refusal with these words; undefined if they are not known. @param server as the catalogue or the address names it */
export const knownAdvice = (words: string, server: string | undefined): string | undefined =>
  KNOWN_REFUSALS.find(
    (known) =>
      (known.servers === undefined || (server !== undefined && known.servers.includes(server))) &&
      known.words.test(words),
  )?.advice
