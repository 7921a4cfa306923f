// What is being drawn, what was drawn just now, and what was drawn before: each picture can be worked from.
import { ExternalLink, LoaderCircle } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { duration } from '../../console/web/parts/amounts.ts'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { imageThumbnail, type ListedImage } from '../../console/web/parts/pictures.ts'
import { Thumbnail } from '../../console/web/parts/thumbnail.tsx'
import type { Reference } from './reference.ts'
import type { Drawing } from './use-generations.ts'

interface Choosing {
  is_operator: boolean
  isChosen: (reference: Pick<Reference, 'id'>) => boolean
  onToggle: (reference: Reference) => void
}

export function Drawings({ drawings, ...choosing }: Choosing & { drawings: readonly Drawing[] }) {
  return (
    <div className="play-drawings" aria-live="polite">
      {drawings.map((drawing) => (
        <DrawingView key={drawing.id} drawing={drawing} {...choosing} />
      ))}
    </div>
  )
}

function DrawingView({ drawing, ...choosing }: Choosing & { drawing: Drawing }) {
  const { asked, state, ids, cost, request_id, failure, started_ms } = drawing
  return (
    <section className="play-drawing" aria-label={asked.prompt} aria-busy={state === 'drawing'}>
      <div className="spread">
        <span className="play-drawing-prompt">{asked.prompt}</span>
        <span className="small soft no-wrap">
          {asked.model}
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
        {state === 'drawing'
          ? Array.from({ length: asked.n }, (_, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing else to be told apart by
              <li key={at}>
                <span className="tile">
                  <span className="thumbnail thumbnail-missing">
                    <Waiting since_ms={started_ms} />
                  </span>
                  <span className="tile-label">{asked.prompt}</span>
                </span>
              </li>
            ))
          : ids.map((id) => <Tile key={id} id={id} label={asked.prompt} {...choosing} />)}
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

/** A press works from the picture; the corner opens it. */
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
