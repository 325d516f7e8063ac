export {
  BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, DirectionalLight, DoubleSide, EdgesGeometry,
  FrontSide, GridHelper, Group, HemisphereLight, Line, LineBasicMaterial, LineSegments, Mesh,
  MeshStandardMaterial, MeshBasicMaterial, PerspectiveCamera, Scene, Vector3, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
