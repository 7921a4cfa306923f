// The native API in the API reference: generateContent, whole and streamed, token counts and embeddings.
import {
  events,
  json,
  PAID_HEADERS,
  type Parameter,
  RATE_HEADERS,
  type Reference,
  TEXT_HEADERS,
} from '../../src/app/reference/operation.ts'
import {
  CITY_SCHEMA,
  PICTURE,
  SAMPLE_TEXT,
  WEATHER,
  WEATHER_SCHEMA,
} from '../../src/app/reference/samples.ts'
import {
  ANSWERED_MODEL,
  anyObject,
  asIn,
  count,
  LIMIT,
  list,
  object,
  quantity,
  ref,
  text,
  USAGE,
} from '../../src/app/reference/schema.ts'

const GOOGLE = 'https://ai.google.dev/api'
const TOKENS = `${GOOGLE}/tokens`

const MODEL: Parameter = {
  name: 'model',
  in: 'path',
  required: true,
  description: 'The name of a model.',
  schema: { type: 'string' },
  example: 'sim-flash',
}
const EMBEDDING_MODEL = { ...MODEL, example: 'sim-embedding' }
const picture = { inlineData: { mimeType: 'image/png', data: PICTURE } }
const question = [{ role: 'user', parts: [{ text: 'Why is the sky blue?' }] }]

const body = json(ref('GenerateContentRequest'), {
  'A question': { contents: question },
  'A question about a picture': {
    contents: [{ role: 'user', parts: [picture, { text: 'What is in this picture?' }] }],
    generationConfig: { maxOutputTokens: 200 },
  },
  'With a tool': {
    contents: [{ role: 'user', parts: [{ text: 'What is the weather in Bergen?' }] }],
    systemInstruction: { parts: [{ text: 'Answer in one sentence.' }] },
    tools: [{ functionDeclarations: [{ ...WEATHER, parametersJsonSchema: WEATHER_SCHEMA }] }],
  },
  'An answer by a JSON Schema': {
    contents: [{ role: 'user', parts: [{ text: 'Name a city and its country.' }] }],
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: CITY_SCHEMA },
  },
})

const vector = object({ values: list(quantity(), 'Its numbers.') }, 'The vector.')
const embedRequest = asIn(
  `${GOOGLE}/embeddings`,
  {
    content: object(
      { parts: list(object({ text: text('The text.') }), 'The text in parts.') },
      'The content to embed: text only.',
    ),
    'model?': text('The same model as in the address, as `models/…`; may be left out.'),
  },
  'A text.',
)
const embedded = { content: { parts: [{ text: 'The sky is blue.' }] } }

export const reference: Reference = {
  tag: 'Gemini API',
  operations: [
    {
      route: 'POST /v1beta/models/*',
      path: '/v1beta/models/{model}:generateContent',
      id: 'generateContent',
      summary: 'Generate an answer',
      description:
        'A whole answer of any text model, or of an image model. Names of fields may also be written in snake_case.',
      parameters: [MODEL],
      body,
      answer: 'The answer.',
      headers: [...TEXT_HEADERS, ...RATE_HEADERS],
      content: json(ref('GenerateContentResponse')),
    },
    {
      route: 'POST /v1beta/models/*',
      path: '/v1beta/models/{model}:streamGenerateContent',
      id: 'streamGenerateContent',
      summary: 'Stream an answer',
      description:
        'The same while it is written. An error after the first event is the last one, in the shape of all errors.',
      parameters: [
        MODEL,
        {
          name: 'alt',
          in: 'query',
          description: '`sse` for server-sent events; without it, the answer is a JSON array that grows.',
          schema: { type: 'string', enum: ['sse'] },
          example: 'sse',
        },
      ],
      body,
      answer: 'The answer, piece by piece; the last one has the usage of the whole.',
      headers: [...TEXT_HEADERS, ...RATE_HEADERS],
      content: {
        ...events(ref('GenerateContentResponse')),
        ...json(list(ref('GenerateContentResponse'))),
      },
    },
    {
      route: 'POST /v1beta/models/*',
      path: '/v1beta/models/{model}:countTokens',
      id: 'countTokens',
      summary: 'Count the tokens of a request',
      description:
        'Counted by the provider where it speaks this API, else estimated. It costs nothing. 501 unless the operator has switched it on.',
      parameters: [MODEL],
      body: json(
        asIn(TOKENS, {
          'contents?': list(
            anyObject('A turn, as in `generateContent`.'),
            'The conversation. Or send `generateContentRequest`, a whole request, of which the count is estimated.',
          ),
        }),
        { 'A question': { contents: question } },
      ),
      answer: 'The count.',
      content: json(asIn(TOKENS, { totalTokens: count('The count.') })),
      is_free: true,
      is_extra: true,
    },
    {
      route: 'POST /v1beta/models/*',
      path: '/v1beta/models/{model}:embedContent',
      id: 'embedContent',
      summary: 'Create an embedding',
      description: 'Paid as `/v1/embeddings` is. 501 unless the operator has switched it on.',
      parameters: [EMBEDDING_MODEL],
      body: json(embedRequest, { 'A text': embedded }),
      answer: 'The vector.',
      headers: PAID_HEADERS,
      content: json(object({ embedding: vector, 'usageMetadata?': anyObject(USAGE) })),
      is_extra: true,
    },
    {
      route: 'POST /v1beta/models/*',
      path: '/v1beta/models/{model}:batchEmbedContents',
      id: 'batchEmbedContents',
      summary: 'Create several embeddings',
      description: 'Paid as `/v1/embeddings` is. 501 unless the operator has switched it on.',
      parameters: [EMBEDDING_MODEL],
      body: json(object({ requests: list(embedRequest, 'A request for each text.') }), {
        'Two texts': { requests: [embedded, embedded] },
      }),
      answer: 'The vectors, in the order of the requests.',
      headers: PAID_HEADERS,
      content: json(object({ embeddings: list(vector, 'The vectors.'), 'usageMetadata?': anyObject(USAGE) })),
      is_extra: true,
    },
  ],
  schemas: {
    GenerateContentRequest: asIn(
      `${GOOGLE}/generate-content`,
      {
        contents: list(
          object({
            'role?': text('`user`, or `model` for an earlier answer.'),
            parts: list(
              anyObject('Such as `{"text": "Hello"}`, `inlineData`, `fileData`, `functionResponse`.'),
              'The content.',
            ),
          }),
          'The conversation, the latest turn last. `fileData` takes public https addresses, not stored files.',
        ),
        'generationConfig?': object(
          {
            'maxOutputTokens?': count(LIMIT),
            'candidateCount?': count('How many answers to create. Each is charged.'),
            'responseModalities?': list(
              text(),
              '`TEXT`, `IMAGE` or both, for models that draw; `AUDIO` for models with a price for `audio_output`.',
            ),
          },
          'Settings of the answer.',
        ),
        'cachedContent?': text('Only for models of this API: cached content that the operator made.'),
      },
      'Field names may also be in snake_case. Tools that Google runs need a price from the operator.',
    ),
    GenerateContentResponse: asIn(`${GOOGLE}/generate-content`, {
      'candidates?': list(
        anyObject('Its `content.parts` are the answer; send their `thoughtSignature` back.'),
        'The answers.',
      ),
      'usageMetadata?': anyObject(USAGE),
      'modelVersion?': ANSWERED_MODEL,
    }),
  },
  answers: {
    GenerateContentResponse: {
      candidates: [
        { index: 0, content: { role: 'model', parts: [{ text: SAMPLE_TEXT }] }, finishReason: 'STOP' },
      ],
      usageMetadata: { promptTokenCount: 6, candidatesTokenCount: 15, totalTokenCount: 21 },
      modelVersion: 'sim-flash',
      responseId: '2phcptv282uco',
    },
  },
}
