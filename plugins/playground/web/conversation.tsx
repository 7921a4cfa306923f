// The conversation of the text playground: questions, and the answers of one model or of two side by side.
import { Brain } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { classNames } from '../../console/web/parts/class-names.ts'
import { Copy } from '../../console/web/parts/copy.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { AnswerCost, type AnswerCostProps } from './cost.tsx'
import { Markdown } from './markdown.tsx'
import { PickedPictures } from './pictures.tsx'
import { type Answer, type Draft, messagesOf, type TextModel, type Turn } from './request.ts'

interface TurnsProps {
  draft: Draft
  models: readonly (TextModel | undefined)[]
}

export function Turns({ draft, models }: TurnsProps) {
  const { turns } = draft
  const end = useRef<HTMLDivElement>(null)
  const follows = useFollowing(end, turns)
  if (turns.length === 0)
    return (
      <div className="play-empty soft">
        <p>
          Write a message to {models.map((model) => model?.id).join(' and ')}. Each answer shows what it cost.
        </p>
      </div>
    )
  return (
    <div className="play-turns" data-follows={follows || undefined}>
      {turns.map((turn, at) => (
        <section key={turn.id} className="play-turn" aria-label="Question and answer">
          <div className="play-question">
            <PickedPictures pictures={turn.pictures} />
            {turn.question}
          </div>
          <div className={classNames('play-answers', models.length > 1 && 'play-answers-two')}>
            {models.map((model, side) => (
              <AnswerView
                // biome-ignore lint/suspicious/noArrayIndexKey: a side is its place
                key={side}
                answer={turn.answers[side] ?? null}
                model={model}
                messages={() => messagesOf({ ...draft, turns: turns.slice(0, at) }, side, turn)}
                is_named={models.length > 1}
              />
            ))}
          </div>
        </section>
      ))}
      <div ref={end} />
    </div>
  )
}

/** Keeps the end of a growing answer in view, unless the reader has scrolled up. */
function useFollowing(end: React.RefObject<HTMLDivElement | null>, turns: readonly Turn[]): boolean {
  const last = turns.at(-1)
  const is_streaming = last?.answers.some((answer) => answer?.state === 'running') ?? false
  const was_near = useRef(true)
  const count = turns.length
  useEffect(() => {
    const onScroll = () => {
      const { innerHeight, scrollY } = window
      was_near.current = document.documentElement.scrollHeight - scrollY - innerHeight < 160
    }
    addEventListener('scroll', onScroll, { passive: true })
    return () => removeEventListener('scroll', onScroll)
  }, [])
  useEffect(() => {
    if (count > 0) was_near.current = true
  }, [count])
  useEffect(() => {
    if (is_streaming && last && was_near.current) end.current?.scrollIntoView({ block: 'end' })
  }, [is_streaming, last, end])
  return is_streaming
}

interface AnswerViewProps extends Pick<AnswerCostProps, 'messages'> {
  answer: Answer | null
  model: TextModel | undefined
  is_named: boolean
}

function AnswerView({ answer, model, messages, is_named }: AnswerViewProps) {
  if (!answer)
    return <div className="play-answer soft">{is_named && model ? `${model.id} was not called.` : null}</div>
  const { text, thinking, state, failure } = answer
  return (
    <article
      className="play-answer"
      aria-busy={state === 'running'}
      aria-label={model ? `Answer of ${model.id}` : 'Answer'}
    >
      {is_named && model && <h3>{model.id}</h3>}
      {thinking !== '' && (
        <details className="play-thinking">
          <summary>
            <Brain className="icon" aria-hidden /> Reasoning
          </summary>
          <div className="play-answer-text plain-text soft">{thinking}</div>
        </details>
      )}
      {text !== '' && (
        <div className="play-answer-text">
          <Markdown text={text} />
        </div>
      )}
      {state === 'running' && text === '' && (
        <div className="soft play-answer-waiting">Waiting for the first token</div>
      )}
      {failure !== undefined && (
        <Notice tone="bad" alert>
          {failure}
        </Notice>
      )}
      <div className="spread play-answer-foot">
        {model && <AnswerCost answer={answer} model={model} messages={messages} />}
        {state !== 'running' && text !== '' && <Copy text={text} what="answer" />}
      </div>
    </article>
  )
}
