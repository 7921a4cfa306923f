// A small picture: loaded once it comes into view, in room that is there from the beginning.
import { ImageOff } from 'lucide-react'
import { useState } from 'react'

interface ThumbnailProps {
  src: string
  /** What it shows: the prompt, the file's name. */
  alt: string
}

export function Thumbnail({ src, alt }: ThumbnailProps) {
  const [is_missing, setMissing] = useState(false)
  return (
    <span className="thumbnail">
      {is_missing ? (
        <span className="thumbnail-missing soft" role="img" aria-label={`${alt} (cannot be shown)`}>
          <ImageOff aria-hidden />
        </span>
      ) : (
        <img src={src} alt={alt} loading="lazy" decoding="async" onError={() => setMissing(true)} />
      )}
    </span>
  )
}
