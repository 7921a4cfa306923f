// Brand on a page: its logo, or its icon and name; and links to the operator's pages about the service.
import { TrafficCone } from 'lucide-react'
import { useState } from 'react'
import { brand, brand_links } from '../app/brand.ts'

/** Image files that are configured but could not be loaded: the brand's name replaces them. */
const missing = new Set<string>()

/** The logo, or the icon with the name. The icon's alternative text is empty because the name follows. */
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
