// Providers to add in a browser, one of each kind of server: typed fields, the address of the test request, and the resulting file.

interface Added {
  fields?: Readonly<Record<string, string>>
  /** The key is chosen as a file. */
  by_file?: true
  model: string
  /** The address of the test request. */
  url: string
  header: string
  /** The provider's name and lines in the resulting file. */
  name: string
  written: readonly string[]
}

export const ADDED: readonly (readonly [title: string, added: Added])[] = [
  [
    'Mistral',
    {
      model: 'mistral-small-latest',
      url: 'https://api.mistral.ai/v1/chat/completions',
      header: 'authorization',
      name: 'mistral',
      written: ['server = "mistral"', 'protocol = "openai"'],
    },
  ],
  [
    'Azure OpenAI',
    {
      fields: { Resource: 'acme' },
      model: 'our-gpt',
      url: 'https://acme.openai.azure.com/openai/v1/chat/completions',
      header: 'api-key',
      name: 'azure',
      written: ['server = "azure"', 'protocol = "openai"', 'resource = "acme"'],
    },
  ],
  [
    'Amazon Bedrock',
    {
      fields: { Region: 'eu-west-1' },
      model: 'eu.anthropic.claude-sonnet-5-5',
      url: 'https://bedrock-runtime.eu-west-1.amazonaws.com/anthropic/v1/messages',
      header: 'authorization',
      name: 'bedrock',
      written: ['server = "bedrock"', 'protocol = "anthropic"', 'region = "eu-west-1"'],
    },
  ],
  [
    'Vertex AI',
    {
      fields: { 'Region (optional)': 'europe-west1' },
      by_file: true,
      model: 'gemini-3.5-flash',
      url: 'https://europe-west1-aiplatform.googleapis.com/v1beta1/projects/fake-project-1234/locations/europe-west1/publishers/google/models/gemini-3.5-flash:generateContent',
      header: 'authorization',
      name: 'vertex',
      written: ['server = "vertex"', 'protocol = "gemini"', 'region = "europe-west1"'],
    },
  ],
]
