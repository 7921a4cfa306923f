// Images: those of running requests, those of this visit, and earlier ones; each can be a reference.
import { ExternalLink, LoaderCircle } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { duration } from '../../console/web/parts/amounts.ts'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { imageThumbnail, type ListedImage } from '../../console/web/parts/pictures.ts'
import { Thumbnail } from '../../console/web/parts/thumbnail.tsx'
import type { Reference } from './reference.ts'
import type { Generation } from './use-generations.ts'

interface Choosing {
  is_operator: boolean
  isChosen: (reference: Pick<Reference, 'id'>) => boolean
  onToggle: (reference: Reference) => void
}

export function Generations({ generations, ...choosing }: Choosing & { generations: readonly Generation[] }) {
  return (
    <div className="play-generations" aria-live="polite">
      {generations.map((generation) => (
        <GenerationView key={generation.id} generation={generation} {...choosing} />
      ))}
    </div>
  )
}

function GenerationView({ generation, ...choosing }: Choosing & { generation: Generation }) {
  const { request, state, ids, cost, request_id, failure, started_ms } = generation
  return (
    <section className="play-generation" aria-label={request.prompt} aria-busy={state === 'running'}>
      <div className="spread">
        <span className="play-generation-prompt">{request.prompt}</span>
        <span className="small soft no-wrap">
          {request.model}
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
          ? Array.from({ length: request.n }, (_, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they have no other identity
              <li key={at}>
                <span className="tile">
                  <span className="thumbnail thumbnail-missing">
                    <Waiting since_ms={started_ms} />
                  </span>
                  <span className="tile-label">{request.prompt}</span>
                </span>
              </li>
            ))
          : ids.map((id) => <Tile key={id} id={id} label={request.prompt} {...choosing} />)}
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

export function RecentImages({ images, ...choosing }: Choosing & { images: readonly ListedImage[] }) {
  const there = images.filter(({ state }) => state === 'stored')
  if (there.length === 0) return null
  return (
    <Section title="Made before" actions={<Link href="/images">All images</Link>}>
      <ul className="gallery">
        {there.map(({ id, prompt }) => (
          <Tile key={id} id={id} label={prompt ?? 'an image'} {...choosing} />
        ))}
      </ul>
    </Section>
  )
}

/** A press makes the picture a reference; its corner opens it. */
function Tile({ id, label, is_operator, isChosen, onToggle }: Choosing & { id: string; label: string }) {
  return (
    <li className="play-pick">
      <button
        type="button"
        className="tile"
        aria-pressed={isChosen({ id })}
        aria-label={`Work from ${label}`}
        onClick={() => onToggle({ is: 'image', id, label })}
      >
        <Thumbnail src={imageThumbnail(id, is_operator)} alt="" />
        <span className="tile-label">{label}</span>
      </button>
      <Link
        className="play-pick-open"
        href={`/images/${id}${is_operator ? '?content=shown' : ''}`}
        aria-label={`Open ${label}`}
        title="Open"
      >
        <ExternalLink className="icon" aria-hidden />
      </Link>
    </li>
  )
}
