// The brand on a page: its wordmark, or its mark and its name; and the operator's own pages about the service.
import { TrafficCone } from 'lucide-react'
import { useState } from 'react'
import { brand, brand_links } from '../app/brand.ts'

/** A file that the operator has named and not put there: the name stands for it. */
const missing = new Set<string>()

/** Beside the name, a mark says nothing of its own. */
export function BrandMark() {
  const [, setMissing] = useState(0)
  const imageOf = (src: string | null, className: string, alt: string) =>
    src !== null &&
    !missing.has(src) && (
      <img
        className={className}
        src={src}
        alt={alt}
        onError={() => {
          missing.add(src)
          setMissing(missing.size)
        }}
      />
    )
  const logo = imageOf(brand.logo, 'brand-logo', brand.name)
  if (logo) return logo
  return (
    <>
      {imageOf(brand.icon, 'brand-icon', '') || <TrafficCone className="icon" aria-hidden />}{' '}
      <span className="brand-name" dir="auto">
        {brand.name}
      </span>
    </>
  )
}

/** @param className of the list */
export function BrandLinks({ className }: { className: string }) {
  if (brand_links.length === 0) return null
  return (
    <ul className={className} aria-label={`About ${brand.name}`}>
      {brand_links.map(({ label, href }) => (
        <li key={label}>
          <a href={href} target="_blank" rel="noreferrer">
            {label}
          </a>
        </li>
      ))}
    </ul>
  )
}
