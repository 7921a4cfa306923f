// The supported inputs of a model besides text: images, audio, files and tools, by the catalogue or its known generation.
import type { InputMedium, Model } from '../domain/catalogue.ts'

interface Row {
  readonly names: RegExp
  readonly takes: readonly InputMedium[]
}

/** Text models by the name of their generation; the first match applies. */
const ROWS: readonly Row[] = [
  // https://platform.claude.com/docs/en/build-with-claude/vision and …/pdf-support: "all active models"
  { names: /claude-(?!instant|[12](?!\d))/, takes: ['images', 'files', 'tools'] },
  // https://ai.google.dev/gemini-api/docs/models: inputs of text, image, video, audio and PDF; function calling
  { names: /gemini-[1-9]/, takes: ['images', 'audio', 'files', 'tools'] },
  // https://developers.openai.com/api/docs/models: audio models accept no images; o1-mini and o3-mini accept text only
  { names: /(?:^|[/.])gpt-(?:audio|realtime|4o(?:-mini)?-(?:audio|realtime))/, takes: ['audio', 'tools'] },
  { names: /(?:^|[/.])(?:o1-mini|o1-preview|gpt-3\.5)/, takes: [] },
  { names: /(?:^|[/.])o3-mini/, takes: ['tools'] },
  { names: /(?:^|[/.])(?:gpt-4o|gpt-4\.1|gpt-[5-9]|o[134])(?!\d)/, takes: ['images', 'files', 'tools'] },
]

/** @returns undefined for an unknown text model */
export function inputsOf(model: Model): readonly ('text' | InputMedium)[] | undefined {
  switch (model.kind) {
    case 'text': {
      const own = model.takes ?? knownTakes(model)
      return own && ['text', ...own]
    }
    case 'image':
      return ['text', 'images']
    case 'transcription':
      return ['audio']
    default:
      return ['text']
  }
}

/** Returns the inputs that all its routes support; undefined if one is unknown. */
function knownTakes({ routes }: Model): readonly InputMedium[] | undefined {
  const all = routes.map(
    ({ model, generation }) =>
      ROWS.find(({ names }) => names.test((generation ?? model).toLowerCase()))?.takes,
  )
  const [first] = all
  return first && all.every((takes) => takes !== undefined)
    ? first.filter((medium) => all.every((takes) => takes?.includes(medium)))
    : undefined
}
