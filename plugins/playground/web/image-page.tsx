// The image playground: a prompt with references, and images, the newest first; each can be a reference.
import { ExternalLink, LoaderCircle, WandSparkles } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { useAddressState } from '../../console/web/parts/address-state.ts'
import { duration } from '../../console/web/parts/amounts.ts'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { imageThumbnail, Thumbnail } from '../../console/web/parts/pictures.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { Composer } from './composer.tsx'
import { ImageQuote } from './cost.tsx'
import { referenceTo } from './pictures.tsx'
import { fieldsOf, type ImageModel, type Reference, type Turn } from './request.ts'
import { sendImages } from './send.ts'
import { ImageSettings, imagesOf } from './settings.tsx'
import { useRequests } from './use-requests.ts'

interface ImagePageProps {
  models: readonly ImageModel[]
  account: string | undefined
  onCharged: () => void
}

const MAX_RECENT = 12
/** The maximum that the gateway accepts for one image. */
const MAX_REFERENCES = 3

export function ImagePage({ models, account, onCharged }: ImagePageProps) {
  const is_operator = useViewer().side === 'operator'
  const { draft, set, send } = useRequests({
    models,
    is_kept: false,
    onCharged,
    async run({ draft, model, next: { question, pictures }, signal, onProgress }) {
      const fields = { ...fieldsOf(draft.parameters, ['size', 'quality']), n: imagesOf(draft, model) }
      const sent = { account, is_operator, model: model.id, fields, signal }
      await sendImages(sent, { prompt: question, references: pictures }, onProgress)
    },
  })
  const { question, pictures, parameters, turns } = draft
  const model = models.find(({ id }) => draft.models.includes(id)) ?? models[0]
  const [{ from }] = useAddressState({ from: '' })
  useEffect(() => {
    if (from !== '') set({ pictures: [referenceTo(from)] })
  }, [from, set])
  const made = turns.flatMap(({ answers }) => answers.flatMap((answer) => answer?.images ?? []))
  const choosing = { pictures, onPictures: (pictures: readonly Reference[]) => set({ pictures }) }
  const { size, quality } = parameters
  return (
    <div className="play">
      <div className="play-main">
        <Composer
          {...{ draft, set, account }}
          label="Prompt"
          placeholder={
            pictures.length === 0
              ? 'Describe an image. To edit or combine up to three images, add or choose them first.'
              : 'Describe the change'
          }
          max_pictures={MAX_REFERENCES}
          verb={['Generate', 'Edit'][pictures.length] ?? 'Compose'}
          icon={WandSparkles}
          onSend={() => send({})}
          onStop={undefined}
          sum={
            model && (
              <ImageQuote
                {...{ account, question, pictures }}
                model={model.id}
                fields={{
                  n: imagesOf(draft, model),
                  size: size || undefined,
                  quality: quality || undefined,
                }}
              />
            )
          }
        />
        <div className="play-generations" aria-live="polite">
          {turns.toReversed().map((turn) => (
            <Generation key={turn.id} turn={turn} models={models} {...choosing} />
          ))}
        </div>
        <Recent account={account} made={made} {...choosing} />
      </div>
      {model && <ImageSettings {...{ draft, set, models, model }} />}
    </div>
  )
}

interface Choosing {
  pictures: readonly Reference[]
  onPictures: (pictures: readonly Reference[]) => void
}

interface RecentProps extends Choosing {
  account: string | undefined
  made: readonly string[]
}

function Recent({ account, made, ...choosing }: RecentProps) {
  const content = useViewer().side === 'operator' ? 'shown' : undefined
  const recent = useApi(['images', 'recent', account], () =>
    api.images.get({ query: { limit: MAX_RECENT, account, content } }),
  )
  return (
    <Loaded query={recent} rows={4}>
      {({ images }) => {
        const stored = images.filter(({ id, state }) => state === 'stored' && !made.includes(id))
        if (stored.length === 0) return null
        return (
          <Section title="Made before" actions={<Link href="/library">All images</Link>}>
            <ul className="gallery">
              {stored.map(({ id, prompt }) => (
                <Tile key={id} id={id} label={prompt ?? 'an image'} {...choosing} />
              ))}
            </ul>
          </Section>
        )
      }}
    </Loaded>
  )
}

interface GenerationProps extends Choosing {
  turn: Turn
  models: readonly ImageModel[]
}

function Generation({ turn, models, ...choosing }: GenerationProps) {
  const { question: prompt, answers } = turn
  const [answer] = answers
  const model = models.find(({ id }) => turn.models.includes(id))
  if (!answer || !model) return null
  const { state, images, cost, request_id, failure, started_ms } = answer
  return (
    <section className="play-generation" aria-label={prompt} aria-busy={state === 'running'}>
      <div className="spread">
        <span className="play-generation-prompt">{prompt}</span>
        <span className="small soft no-wrap">
          {model.id}
          {cost !== undefined && ` · ${cost} USD`}
          {request_id && (
            <>
              {' · '}
              <Link href={`/calls/${encodeURIComponent(request_id)}`}>the call</Link>
            </>
          )}
        </span>
      </div>
      {failure !== undefined && (
        <Notice tone="bad" alert>
          {failure}
        </Notice>
      )}
      <ul className="gallery">
        {state === 'running'
          ? Array.from({ length: imagesOf(turn, model) }, (_, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they have no other identity
              <li key={at}>
                <span className="tile">
                  <span className="thumbnail thumbnail-missing">
                    <Waiting since_ms={started_ms} />
                  </span>
                  <span className="tile-label">{prompt}</span>
                </span>
              </li>
            ))
          : images.map((id) => <Tile key={id} id={id} label={prompt} {...choosing} />)}
      </ul>
    </section>
  )
}

function Waiting({ since_ms }: { since_ms: number }) {
  const [now_ms, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span className="row soft">
      <LoaderCircle className="icon spin" aria-hidden />
      {duration(Math.max(0, now_ms - since_ms))}
    </span>
  )
}

/** A press makes the picture a reference, which replaces the oldest one if the maximum is reached; the link in its corner opens it. */
function Tile({ id, label, pictures, onPictures }: Choosing & { id: string; label: string }) {
  const is_operator = useViewer().side === 'operator'
  const is_chosen = pictures.some((each) => each.id === id)
  const toggled: readonly Reference[] = is_chosen
    ? pictures.filter((each) => each.id !== id)
    : [...pictures, { is: 'image' as const, id, label }].slice(-MAX_REFERENCES)
  return (
    <li className="play-pick">
      <button
        type="button"
        className="tile"
        aria-pressed={is_chosen}
        aria-label={`Work from ${label}`}
        onClick={() => onPictures(toggled)}
      >
        <Thumbnail src={imageThumbnail(id, is_operator)} alt="" />
        <span className="tile-label">{label}</span>
      </button>
      <Link
        className="play-pick-open"
        href={`/library/${id}${is_operator ? '?content=shown' : ''}`}
        aria-label={`Open ${label}`}
        title="Open"
      >
        <ExternalLink className="icon" aria-hidden />
      </Link>
    </li>
  )
}
