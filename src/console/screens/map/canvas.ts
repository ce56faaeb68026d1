/** A canvas over the visible part of the map, which is painted again when the map moves. */
import * as Leaflet from 'leaflet';

export type Paint = (context: CanvasRenderingContext2D) => void;

export interface MapCanvas {
  /** Paints before the next frame. */
  readonly update: () => void;
  readonly remove: () => void;
}

export function createMapCanvas(map: Leaflet.Map, pane: string, paint: Paint): MapCanvas {
  const canvas = document.createElement('canvas');
  // Leaflet hides it during a zoom animation, as it would not match the background.
  canvas.className = 'map-items leaflet-zoom-hide';
  (map.getPane(pane) ?? map.createPane(pane)).append(canvas);
  const context = canvas.getContext('2d');
  let frame = 0;

  const paintNow = (): void => {
    frame = 0;
    if (context === null) return;
    const { x: width, y: height } = map.getSize();
    const scale = devicePixelRatio;
    // Setting the size clears the canvas.
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    Leaflet.DomUtil.setPosition(canvas, map.containerPointToLayerPoint([0, 0]));
    context.scale(scale, scale);
    paint(context);
  };
  const update = (): void => {
    frame ||= requestAnimationFrame(paintNow);
  };
  map.on('move zoomend viewreset resize', update);
  return {
    update,
    remove: () => {
      cancelAnimationFrame(frame);
      map.off('move zoomend viewreset resize', update);
      canvas.remove();
    },
  };
}
